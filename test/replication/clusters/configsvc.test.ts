/** Each cluster has its own configuration service, which is not replicated. */
import { expect, it } from 'vitest'
import { clusters, pair, rootOf, tokenOf } from './cluster.ts'

const namesOf = async (kernel: { readonly configsvc: { readonly policies: { list(): Promise<readonly { Name: string }[]> } } }) =>
  (await kernel.configsvc.policies.list()).map(({ Name }) => Name).filter((name) => name.startsWith('of-'))

it('each cluster of a replication set has a configuration service of its own, whose writes are not replicated', async () => {
  const [primary, secondary] = await pair(clusters())
  await primary.configsvc.policies.create({ Name: 'of-primary' })
  await secondary.configsvc.policies.create({ Name: 'of-secondary' })
  await primary.tick()
  await secondary.tick()
  expect([await namesOf(primary), await namesOf(secondary)]).toEqual([['of-primary'], ['of-secondary']])
  expect(await rootOf(secondary)).toBe(await rootOf(primary))
})

it('a cluster that joins a set starts with an empty configuration service', async () => {
  const all = clusters()
  const [primary, secondary] = [await all.make(), await all.make()]
  await secondary.configsvc.policies.create({ Name: 'of-before' })
  const { SecretID = '' } = await secondary.configsvc.tokens.create({ Policies: [{ Name: 'of-before' }] })
  await primary.replication.enablePrimary()
  await secondary.replication.enableSecondary({ token: await tokenOf(primary, 'one') })
  await secondary.tick()
  expect(await secondary.configsvc.policies.list()).toHaveLength(2)
  await expect(secondary.configsvc.as(SecretID).tokens.readSelf()).rejects.toMatchObject({ status: 403 })
  await secondary.configsvc.policies.create({ Name: 'of-now' })
  expect(await namesOf(secondary)).toEqual(['of-now'])
})
