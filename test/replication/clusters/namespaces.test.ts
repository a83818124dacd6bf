import { expect, it } from 'vitest'
import { memoryStorage } from '../../../src/index.ts'
import { clusters, rootOf, tokenOf } from './cluster.ts'

it("a secondary's own records in a namespace are deleted with the namespace", async () => {
  const all = clusters()
  const storage = memoryStorage({ maxOps: 128 })
  const primary = await all.make()
  const secondary = await all.make({ storage })
  await primary.namespaces.createNamespace({ name: 'team' })
  await primary.namespaces.createNamespace({ name: 'other' })
  await primary.replication.enablePrimary()
  await secondary.replication.enableSecondary({ token: await tokenOf(primary, 'one') })
  await secondary.tick()

  const own = async (): Promise<readonly string[]> => storage.list('l/')
  const before = await own()
  const team = secondary.namespace('team')
  for (let n = 0; n < 40; n++) await team.tokens.createToken({ policies: ['default'] })
  await team.mounts.createMount({ path: 'here', type: 'kv', local: true })
  for (let n = 0; n < 5; n++) await team.kv.at('here/').writeSecret({ path: `a/${n}`, data: { n } })
  const { client_token } = await secondary.namespace('other').tokens.createToken({ policies: ['default'] })
  expect((await own()).length).toBeGreaterThan(before.length + 80)

  await primary.namespaces.deleteNamespace({ name: 'team' })
  for (let n = 0; n < 10; n++) {
    expect((await primary.tick()).failed).toEqual([])
    expect((await secondary.tick()).failed).toEqual([])
  }
  // A token of another namespace stays valid.
  expect((await secondary.tokens.lookupToken({ token: client_token })).namespace_path).toBe('other/')
  await secondary.tokens.revokeToken({ token: client_token })
  await secondary.tick()
  expect(await own()).toEqual(before)
  expect(await rootOf(secondary)).toBe(await rootOf(primary))
})

it('a mount of the primary does not replace a local mount with the same path, and the status reports the conflict', async () => {
  const all = clusters()
  const storage = memoryStorage({ maxOps: 128 })
  const primary = await all.make()
  const secondary = await all.make({ storage })
  await primary.replication.enablePrimary()
  await secondary.replication.enableSecondary({ token: await tokenOf(primary, 'one') })
  await secondary.tick()
  await secondary.mounts.createMount({ path: 'both', type: 'kv', local: true })
  await secondary.kv.at('both/').writeSecret({ path: 'a', data: { of: 'secondary' } })
  await primary.mounts.createMount({ path: 'both', type: 'kv' })
  await primary.kv.at('both/').writeSecret({ path: 'a', data: { of: 'primary' } })
  await secondary.tick()
  expect((await secondary.kv.at('both/').readSecret({ path: 'a' })).data).toEqual({ of: 'secondary' })
  const { state, last_error } = await secondary.replication.readStatus()
  expect(state).toBe('stream-wals')
  expect(last_error).toMatch(/a local mount has the same path/)

  await secondary.mounts.deleteMount({ path: 'both' })
  for (let n = 0; n < 3; n++) await secondary.tick()
  expect((await secondary.kv.at('both/').readSecret({ path: 'a' })).data).toEqual({ of: 'primary' })
  expect(await secondary.replication.readStatus()).not.toHaveProperty('last_error')
  expect(await rootOf(secondary)).toBe(await rootOf(primary))
})
