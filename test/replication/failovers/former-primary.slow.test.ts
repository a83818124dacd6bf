/** A former primary follows its successor: it keeps the records that both have, and discards the others. */
import { afterEach, describe, expect, it } from 'vitest'
import type { Kernel } from '../../../src/index.ts'
import { KINDS, rootOf, ticked, tokenOf } from './kinds.ts'
import { recordsOf, type Site, Sites, split } from './sites.ts'

let sites = new Sites()
afterEach(async () => {
  await sites.close()
  sites = new Sites()
})

const VALUE_BYTES = 10_000

const HELD = 60

const textOf = (n: number): string => `${n}-`.padEnd(VALUE_BYTES, 'x')

async function fill({ kv }: Kernel): Promise<void> {
  for (let n = 0; n < HELD; n++) await kv.writeSecret({ path: `both/${n}`, data: { v: textOf(n) } })
}

async function alone({ kv }: Kernel): Promise<void> {
  for (let n = 0; n < 5; n++) await kv.writeSecret({ path: `alone/${n}`, data: { v: `alone-${n}` } })
  await kv.writeSecret({ path: 'both/1', data: { v: 'another one' } })
  await kv.deleteSecret({ path: 'both/2' })
}

describe.each(KINDS.map((kind) => [kind.name, kind] as const))('a former primary (%s)', (name, kind) => {
  const role = ({ kernel }: Site) => kind.of(kernel)

  it('that was demoted and follows the new primary keeps and does not fetch the records that both clusters have', async () => {
    const { former, now } = await split(sites, kind, { before: fill, alone })
    const versions = new Map((await former.storage.scan('r/')).map(({ key, version }) => [key, version]))
    const before = await recordsOf(former, 'r/')
    await role(former).demotePrimary()
    sites.network.bytes = 0
    await role(former).updatePrimary({ token: await tokenOf(kind, now.kernel, 'former') })
    await ticked(former.kernel)
    // Only two changed records and the new ones are fetched.
    expect(sites.network.bytes).toBeLessThan(10 * VALUE_BYTES)
    expect(await rootOf(kind, former.kernel)).toBe(await rootOf(kind, now.kernel))
    const after = await recordsOf(former, 'r/')
    expect(after).toEqual(await recordsOf(now, 'r/'))
    // A record with an equal value was not written again.
    const kept = (await former.storage.scan('r/')).filter(({ key }) => before.get(key) === after.get(key))
    expect(kept.length).toBeGreaterThanOrEqual(HELD - 2)
    for (const { key, version } of kept) expect([key, version]).toEqual([key, versions.get(key)])
    expect(await role(former).readStatus()).toMatchObject({ mode: 'secondary', state: 'stream-wals', lag: 0, lost_writes: 7 })
  })

  it('stops all writes in all its processes when it learns of the new primary, and can then follow the new primary', async () => {
    const { former, now } = await split(sites, kind, { before: fill, alone: async () => {} })
    const secondKernel = await sites.openSecondKernel(former)
    const third = await sites.open()
    await role(third).enableSecondary({ token: await tokenOf(kind, now.kernel, 'third') })
    await ticked(third.kernel)
    await alone(secondKernel.kernel)
    // An operator sends a member of the set to the former primary by mistake.
    await role(third).updatePrimary({ token: await tokenOf(kind, former.kernel, 'by-mistake') })
    await third.kernel.tick()
    expect(await role(third).readStatus()).toMatchObject({
      state: 'idle',
      last_error: 'the cluster that answered is not a primary',
    })
    for (const { kernel } of [former, secondKernel]) {
      expect(await kind.of(kernel).readStatus()).toMatchObject({ mode: 'secondary' })
      await expect(kernel.kv.writeSecret({ path: 'late', data: { v: 1 } })).rejects.toMatchObject({
        code: name === 'dr' ? 'ERR_DR_SECONDARY' : 'ERR_READ_ONLY',
      })
      await expect(kind.of(kernel).createSecondaryToken({ id: 'late' })).rejects.toMatchObject({ status: 400 })
    }
    await role(former).updatePrimary({ token: await tokenOf(kind, now.kernel, 'former') })
    await ticked(former.kernel)
    expect(await rootOf(kind, former.kernel)).toBe(await rootOf(kind, now.kernel))
    // With DR, the record of that peer is also one of the lost writes.
    for (const { kernel } of [former, secondKernel])
      expect((await kind.of(kernel).readStatus()).lost_writes).toBeGreaterThanOrEqual(7)
    await role(third).updatePrimary({ token: await tokenOf(kind, now.kernel, 'third-again') })
    await ticked(third.kernel)
    expect(await rootOf(kind, third.kernel)).toBe(await rootOf(kind, now.kernel))
  })

  it('counts its lost writes at every failover, separately for each epoch', async () => {
    const { former, now } = await split(sites, kind, { alone: ({ kv }) => kv.writeSecret({ path: 'first', data: { v: 1 } }) })
    await role(former).demotePrimary()
    await role(former).updatePrimary({ token: await tokenOf(kind, now.kernel, 'former') })
    await ticked(former.kernel)
    expect((await role(former).readStatus()).lost_writes).toBe(1)
    // Now the other way round, also by force.
    await role(former).promote({ force: true })
    await now.kernel.kv.writeSecret({ path: 'second', data: { v: 1 } })
    await role(now).demotePrimary()
    await role(now).updatePrimary({ token: await tokenOf(kind, former.kernel, 'back') })
    await ticked(now.kernel)
    expect(await rootOf(kind, now.kernel)).toBe(await rootOf(kind, former.kernel))
    expect((await role(now).readStatus()).lost_writes).toBe(1)
    const found: number[] = []
    for await (const { epoch } of kind.of(former.kernel).exportLost()) found.push(epoch)
    for await (const { epoch } of kind.of(now.kernel).exportLost()) found.push(epoch)
    expect([...new Set(found)]).toEqual([1, 2])
  })
})
