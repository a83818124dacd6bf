/**
 * A primary dies at any of its commits. With `ack: { sync: 1 }`, a cluster that is promoted without force has every acknowledged change.
 */
import { afterEach, expect, it } from 'vitest'
import { type Kernel, memoryStorage } from '../../../src/index.ts'
import { crashingStorage } from '../../../src/testing/index.ts'
import { runs } from '../../fixtures/runs.ts'
import { enable, follow, KINDS, type KindOfSet, sideOf, World } from './world.ts'

/** The number of commits from one death to the next, alternately before and after the commit takes effect. */
const STEP = runs({ quick: 11, soak: 1 })

const world = new World()

afterEach(async () => {
  world.cut.clear()
  await world.close()
})

/** The acknowledged changes, as they can be looked up later. */
interface Answered {
  readonly secrets: string[]
  readonly versions: number[]
  readonly tokens: string[]
}

/** Writes until a call fails. */
async function work(primary: Kernel, kind: KindOfSet, answered: Answered): Promise<void> {
  await primary.transit.createKey({ name: 'k' })
  for (let n = 0; n < 6; n++) {
    await primary.kv.writeSecret({ path: `n${n}`, data: { n } })
    answered.secrets.push(`n${n}`)
    await primary.transit.rotateKey({ name: 'k' })
    answered.versions.push(n + 2)
    if (kind === 'performance') continue
    // Only DR replicates tokens.
    answered.tokens.push((await primary.tokens.createToken({ policies: ['default'] })).client_token)
  }
}

function withResolvers<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

async function dies(kind: KindOfSet, at: number, when: 'before' | 'after'): Promise<'over' | 'promoted' | 'behind'> {
  const name = `${kind}-${at}-${when}`
  let from = Number.POSITIVE_INFINITY
  const memory = memoryStorage({ maxOps: 128 })
  const death = withResolvers<'dead'>()
  const storage = crashingStorage(memory, {
    crashAt: () => {
      if (storage.commits < from + at) return undefined
      // The dead primary is unreachable.
      world.cut.add(`${name}-a`)
      death.resolve('dead')
      return when
    },
  })
  const primary = await world.open(`${name}-a`, { storage, replication: { ack: { sync: 1, timeoutMs: 600_000 } } })
  await enable(primary, kind)
  const secondary = await world.open(`${name}-b`)
  await follow(secondary, primary, kind, 'b')
  const stop = secondary.start()
  from = storage.commits
  const answered: Answered = { secrets: [], versions: [], tokens: [] }
  const working = work(primary, kind, answered).then(
    () => 'over' as const,
    () => 'dead' as const,
  )
  const outcome = await Promise.race([working, death.promise])
  stop()
  if (outcome === 'over' && !storage.crashed) {
    await Promise.all([primary.close(), secondary.close()])
    return 'over'
  }
  const promoted = await sideOf(secondary, kind)
    .promote()
    .then(() => 'promoted' as const)
    .catch((error: { readonly status: number }) => {
      expect(error.status).toBe(503)
      return 'behind' as const
    })
  if (promoted === 'behind') await sideOf(secondary, kind).promote({ force: true })
  for (const path of answered.secrets) await secondary.kv.readSecret({ path })
  const newest = answered.versions.at(-1)
  if (newest !== undefined) expect((await secondary.transit.readKey({ name: 'k' })).latest_version).toBeGreaterThanOrEqual(newest)
  for (const token of answered.tokens) await secondary.tokens.lookupToken({ token })
  await primary.close().catch(() => {})
  await secondary.close()
  return promoted
}

it.each(KINDS)(
  'a primary that dies at any commit has replicated every acknowledged change to the promoted secondary (%s)',
  async (kind) => {
    const ends: string[] = []
    for (let at = 1; ; at += STEP) {
      const when = (at / STEP) % 2 < 1 ? 'before' : 'after'
      const end = await dies(kind, at, when)
      if (end === 'over') break
      ends.push(end)
    }
    expect(ends.length).toBeGreaterThan(STEP === 1 ? 15 : 2)
    // Force is needed only if the secondary knows of records that it lacks, which is rare.
    expect(ends.filter((end) => end === 'promoted').length).toBeGreaterThan(ends.length / 2)
  },
)
