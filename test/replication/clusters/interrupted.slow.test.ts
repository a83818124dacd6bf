import { expect, it } from 'vitest'
import { inProcessNetwork, type Kernel, type ReplicationTransport } from '../../../src/index.ts'
import { clusters, rootOf, tokenOf } from './cluster.ts'

/** The number of secrets, enough for several commits on both sides. */
const HELD = 120

const numbersOn = async (kernel: Kernel, most: number): Promise<readonly number[]> => {
  const found: number[] = []
  for (let n = 0; n < most; n++)
    await kernel.kv.readSecret({ path: `n/${n}` }).then(
      () => found.push(n),
      () => undefined,
    )
  return found
}

/** A secondary whose first sync is interrupted at a message. Its primary writes before each message. */
async function cutAt(message: number) {
  const inner = inProcessNetwork()
  let sent = Number.NEGATIVE_INFINITY
  let next = HELD
  const network: ReplicationTransport = {
    listen: inner.listen,
    async request(address, bytes, signal) {
      if (++sent > message) throw new Error('the line is cut')
      if (sent > 0) await primary.kv.writeSecret({ path: `n/${next++}`, data: { next } })
      return inner.request(address, bytes, signal)
    },
  }
  const all = clusters()
  const primary = await all.make({ ports: { replication: network } })
  const secondary = await all.make({ ports: { replication: network } })
  for (let n = 0; n < HELD; n++) await primary.kv.writeSecret({ path: `n/${n}`, data: { n } })
  await primary.replication.enablePrimary()
  await secondary.replication.enableSecondary({ token: await tokenOf(primary, 'one') })
  sent = 0
  const { failed } = await secondary.tick()
  return {
    primary,
    secondary,
    written: () => next,
    isCut: failed.length > 0,
    mend() {
      sent = Number.NEGATIVE_INFINITY
    },
  }
}

it('a secondary whose first sync is interrupted at any message can be promoted only by force, and completes the sync later', async () => {
  let refused = 0
  for (let message = 1; ; message++) {
    const { primary, secondary, written, isCut, mend } = await cutAt(message)
    const promoted =
      isCut &&
      (await secondary.replication.promote().then(
        () => true,
        () => false,
      ))
    if (promoted) {
      // The promoted cluster has a state that the primary had at some time.
      const there = await numbersOn(secondary, written())
      expect(there).toEqual(there.map((_, at) => at))
    } else if (isCut) {
      refused++
      mend()
      expect((await secondary.tick()).failed).toEqual([])
      expect(await rootOf(secondary)).toBe(await rootOf(primary))
    }
    await Promise.all([primary.close(), secondary.close()])
    if (!isCut) break
  }
  expect(refused).toBeGreaterThan(5)
})
