/** Leases of a secondary below a mount that its filter excludes later. */
import { expect, it } from 'vitest'
import { createKernel } from '../../../src/chosen-kernel.ts'
import { replication } from '../../../src/engines.ts'
import { inProcessNetwork, keySeal, memoryStorage } from '../../../src/index.ts'
import { fakeClock } from '../../../src/testing/index.ts'
import { lender } from '../clusters/lender.ts'

it('when a path filter excludes a mount, the secondary revokes the leases of the mount before it removes the mount', async () => {
  const network = inProcessNetwork()
  const clock = fakeClock()
  const opened = async (seed: number) => {
    const revoked: string[] = []
    const storage = memoryStorage({ maxOps: 128 })
    const kernel = await createKernel({
      engines: [lender(revoked), replication()],
      storage,
      seal: keySeal(new Uint8Array(32).fill(seed)),
      initialize: true,
      clock,
      ports: { replication: network },
    })
    return { kernel, revoked, storage }
  }
  const [primary, secondary] = [await opened(1), await opened(2)]
  await primary.kernel.replication.enablePrimary()
  const { wrap_info } = await primary.kernel.replication.createSecondaryToken({ id: 'one' })
  await secondary.kernel.replication.enableSecondary({ token: wrap_info?.token ?? '' })
  await secondary.kernel.tick()
  const { client_token } = await secondary.kernel.tokens.createToken({ policies: ['root'] })
  const lend = () =>
    secondary.kernel.handle({ method: 'GET', path: '/v1/lend/creds', headers: { 'X-Service-Token': client_token } })
  for (let n = 0; n < 3; n++) expect((await lend()).status).toBe(200)
  await primary.kernel.replication.writePathsFilter({ id: 'one', mode: 'deny', paths: ['lend'] })
  for (let n = 0; n < 3; n++) expect((await secondary.kernel.tick()).failed).toEqual([])
  expect(secondary.revoked).toEqual(['lend/', 'lend/', 'lend/'])
  expect((await lend()).status).toBe(404)
  const keys = await secondary.storage.list('l/core/lease')
  expect(keys.filter((key) => key.includes('lend/'))).toEqual([])
  expect(Object.keys((await primary.kernel.mounts.listMounts()).mounts)).toContain('lend/')
  await primary.kernel.replication.deletePathsFilter({ id: 'one' })
  for (let n = 0; n < 3; n++) expect((await secondary.kernel.tick()).failed).toEqual([])
  expect((await lend()).status).toBe(200)
})
