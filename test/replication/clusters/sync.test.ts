/** Secret sync in a replication set: only the current primary pushes. */
import { describe, expect, it } from 'vitest'
import { nodeCrypto } from '../../../src/adapters/crypto-node/index.ts'
import { createKernel, inProcessNetwork, type Kernel, keySeal, memoryStorage } from '../../../src/index.ts'
import { type FakeSyncDestination, fakeClock, fakeSyncDestination } from '../../../src/testing/index.ts'
import { tokenOf } from './cluster.ts'

const AT = { type: 'cloud-a-sm', name: 'd' } as const

interface Site {
  readonly kernel: Kernel
  /** This cluster's destination; both write to one external store. */
  readonly store: FakeSyncDestination
}

async function openPair() {
  const replication = inProcessNetwork()
  const clock = fakeClock()
  const site = async (byte: number): Promise<Site> => {
    const store = fakeSyncDestination()
    const kernel = await createKernel({
      storage: memoryStorage({ maxOps: 128 }),
      seal: keySeal(new Uint8Array(32).fill(byte)),
      initialize: true,
      clock,
      // Synchronous, so the fake clock cannot overtake it, and faster than the noble backend.
      crypto: nodeCrypto(),
      ports: { replication, sync: { 'cloud-a-sm': store } },
    })
    return { kernel, store }
  }
  const [first, second] = [await site(1), await site(2)]
  const { kernel: primary } = first
  await primary.mounts.createMount({ path: 'kv', type: 'kv', options: { version: '2' } })
  await primary.sync.writeCloudASm({ name: 'd', region: 'x', secret_name_template: '{{ .SecretPath }}' })
  await primary.replication.enablePrimary()
  await second.kernel.replication.enableSecondary({ token: await tokenOf(primary, 'one', 'app') })
  await second.kernel.tick()
  return { first, second, clock }
}

const write = ({ kernel }: Site, n: number) => kernel.kv2.at('kv/').writeSecret({ path: 'a', data: { n } })
const statuses = async ({ kernel }: Site) =>
  Object.values((await kernel.sync.readAssociations(AT)).associated_secrets).map(({ sync_status }) => sync_status)

describe('secret sync in a replication set', () => {
  it('pushes changes from the primary, whichever cluster made them, and shows their status on both clusters', async () => {
    const { first, second } = await openPair()
    await write(second, 1)
    await second.kernel.sync.setAssociation({ ...AT, mount: 'kv', secret_name: 'a' })
    expect(first.store.values.get('a')).toBe('{"n":1}')
    await write(second, 2)
    for (let tick = 0; tick < 3; tick++) await second.kernel.tick()
    await first.kernel.tick()
    await second.kernel.tick()
    expect([first.store.values.get('a'), second.store.calls.length]).toEqual(['{"n":2}', 0])
    expect([await statuses(first), await statuses(second)]).toEqual([['SYNCED'], ['SYNCED']])
    await Promise.all([first.kernel.close(), second.kernel.close()])
  })

  it('repeats a push with an unknown outcome after another cluster has become the primary', async () => {
    const { first, second, clock } = await openPair()
    await write(first, 1)
    await first.kernel.sync.setAssociation({ ...AT, mount: 'kv', secret_name: 'a' })
    await write(first, 2)
    await second.kernel.tick()
    first.store.trouble({ manner: new Promise(() => {}) })
    // It is no longer the primary when its call times out.
    const held = first.kernel.tick().catch(() => undefined)
    while (first.store.inFlight === 0) await new Promise((resolve) => setImmediate(resolve))
    await second.kernel.tick()
    await first.kernel.replication.demotePrimary()
    await second.kernel.replication.promote()
    for (let second_ = 0; second_ < 200; second_++) {
      await clock.advance(1000)
      if (second_ % 20 === 0) await second.kernel.tick()
    }
    await held
    await second.kernel.tick()
    expect(second.store.values.get('a')).toBe('{"n":2}')
    expect(await statuses(second)).toEqual(['SYNCED'])
    // The former primary does not continue its call.
    const before = first.store.calls.length
    await clock.advance(100_000)
    await first.kernel.tick()
    expect(first.store.calls.length).toBe(before)
    await Promise.all([first.kernel.close(), second.kernel.close()])
  })
})
