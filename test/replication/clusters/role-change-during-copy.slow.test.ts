/**
 * A secondary changes its role while it copies records of its primary. Records that arrive later must not change anything. The sync is held
 * after each of its commits until the role has changed.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type Kernel, memoryStorage } from '../../../src/index.ts'
import { interceptedStorage } from '../../../src/testing/intercepted-storage.ts'
import { clusters, tokenOf } from './cluster.ts'

/** The number of copied secrets, enough for several commits. */
const HELD = 120

/** Marks the calls of a tick. */
const ticking = new AsyncLocalStorage<true>()

const CHANGES: Readonly<Record<string, (kernel: Kernel) => Promise<unknown>>> = {
  'a forced promotion': (kernel) => kernel.replication.promote({ force: true }),
  'leaving the set': (kernel) => kernel.replication.disableSecondary(),
}

/** Turns of the event loop without a call. */
const IDLE_TURNS = 60

/** @returns Whether the sync made that many commits, and whether the role changed after that one. */
async function changedAt(
  nth: number,
  change: (kernel: Kernel) => Promise<unknown>,
): Promise<{ readonly isHeld: boolean; readonly wasLate: boolean }> {
  const all = clusters()
  const memory = memoryStorage({ maxOps: 128 })
  let commits = 0
  let idle = 0
  let isChanged = false
  let wasLate = false
  const storage = interceptedStorage(memory, {
    around: async (method, work) => {
      if (!ticking.getStore()) idle = 0
      // The role change may wait for a call that both need, so end the hold when nothing happens.
      const isLate = method === 'commit' && ticking.getStore() && ++commits === nth
      const done = await work()
      if (isLate) {
        for (idle = 0; !isChanged && idle < IDLE_TURNS; idle++) await turn()
        wasLate = isChanged
      }
      return done
    },
    aroundSync: (work) => work(),
    // The work of a kernel after a change notification does not belong to the sync.
    listener: (onChange) => (change) => ticking.exit(() => onChange(change)),
    close: () => memory.close(),
  })
  const primary = await all.make()
  const secondary = await all.make({ storage })
  for (let n = 0; n < HELD; n++) await primary.kv.writeSecret({ path: `n/${n}`, data: { n } })
  await primary.replication.enablePrimary()
  await secondary.replication.enableSecondary({ token: await tokenOf(primary, 'one') })

  const ticked = ticking.run(true, () => secondary.tick())
  let isOver = false
  void ticked.then(() => {
    isOver = true
  })
  while (commits < nth && !isOver) await turn()
  const isHeld = !isOver
  await change(secondary)
  const before = await memory.scan('r/')
  isChanged = true
  await ticked
  const after = await memory.scan('r/')
  const versions = (entries: typeof before) => entries.map(({ key, version }) => [key, version])
  if (wasLate) expect(versions(after)).toEqual(versions(before))
  await Promise.all([primary.close(), secondary.close()])
  return { isHeld, wasLate }
}

describe.each(Object.entries(CHANGES))('%s', (_, change) => {
  it('during the first sync of a secondary is not followed by a commit of the sync', async () => {
    let lateCount = 0
    for (let nth = 1; ; nth++) {
      const { isHeld, wasLate } = await changedAt(nth, change)
      if (!isHeld) break
      if (wasLate) lateCount++
    }
    expect(lateCount).toBeGreaterThan(5)
  })
})
