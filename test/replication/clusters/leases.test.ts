import { expect, it } from 'vitest'
import { createKernel } from '../../../src/chosen-kernel.ts'
import { replication } from '../../../src/engines.ts'
import { inProcessNetwork, keySeal, memoryStorage } from '../../../src/index.ts'
import { fakeClock } from '../../../src/testing/index.ts'
import { lender } from './lender.ts'

it("a secondary's leases are revoked before their replicated mount is removed", async () => {
  const network = inProcessNetwork()
  const clock = fakeClock()
  const opened = async (seed: number) => {
    const revoked: string[] = []
    const kernel = await createKernel({
      engines: [lender(revoked), replication()],
      storage: memoryStorage({ maxOps: 128 }),
      seal: keySeal(new Uint8Array(32).fill(seed)),
      initialize: true,
      clock,
      ports: { replication: network },
    })
    return { kernel, revoked }
  }
  const [primary, secondary] = [await opened(1), await opened(2)]
  await primary.kernel.replication.enablePrimary()
  const { wrap_info } = await primary.kernel.replication.createSecondaryToken({ id: 'one' })
  await secondary.kernel.replication.enableSecondary({ token: wrap_info?.token ?? '' })
  await secondary.kernel.tick()
  const { client_token } = await secondary.kernel.tokens.createToken({ policies: ['root'] })
  const lend = () =>
    secondary.kernel.handle({ method: 'GET', path: '/v1/lend/creds', headers: { 'X-Service-Token': client_token } })
  expect((await lend()).status).toBe(200)
  expect((await lend()).status).toBe(200)
  await secondary.kernel.tick()
  await primary.kernel.mounts.deleteMount({ path: 'lend' })
  await primary.kernel.tick()
  expect(secondary.revoked).toEqual([])
  for (let round = 0; round < 6; round++) {
    expect((await secondary.kernel.tick()).failed).toEqual([])
    await clock.advance(6000)
    expect((await primary.kernel.tick()).failed).toEqual([])
  }
  expect(secondary.revoked).toEqual(['lend/', 'lend/'])
  expect(primary.revoked).toEqual([])
  const roots = [primary, secondary].map(async ({ kernel }) => (await kernel.replication.readStatus()).merkle_root)
  expect(await roots[0]).toBe(await roots[1])
  expect(Object.keys((await secondary.kernel.mounts.listMounts()).mounts)).not.toContain('lend/')
  expect(await secondary.kernel.leases.countLeases({ type: 'irrevocable' })).toMatchObject({ lease_count: 0 })
})
