/** Roles with many links, on a storage that allows only small commits. */
import { expect, it } from 'vitest'
import { memoryStorage, type Storage } from '../../../src/index.ts'
import { type ConfigWorld, configWorld } from '../../fixtures/configsvc.ts'
import { calledStorage } from '../called-storage.ts'

/** More than the preconditions that a commit of 128 operations could have. */
const MANY = 150

async function policiesIn({ service }: ConfigWorld): Promise<readonly { readonly ID: string }[]> {
  const made = Array.from({ length: MANY }, (_, at) => service.policies.create({ Name: `p${at}` }))
  return (await Promise.all(made)).map(({ ID }) => ({ ID }))
}

it('a role can have more links than a commit can have preconditions', async () => {
  await using world = await configWorld({ storage: memoryStorage({ maxOps: 128 }) })
  const { roles } = world.service
  const Policies = await policiesIn(world)
  const { ID } = await roles.create({ Name: 'r', Policies })
  expect((await roles.update({ ID, Name: 's', Policies })).Policies).toHaveLength(MANY)
  expect((await roles.list())[0]?.Policies).toHaveLength(MANY)
})

it('creating a role with a link to a policy is refused if another process has just deleted the policy', async () => {
  const inner = memoryStorage({ maxOps: 128 })
  // Receives no notifications of other processes' writes.
  const deaf: Storage = { ...inner, watch: async () => async () => undefined }
  await using firstWorld = await configWorld({ storage: deaf })
  await using secondWorld = await configWorld({ storage: inner })
  const Policies = await policiesIn(firstWorld)
  await firstWorld.service.roles.create({ Name: 'r', Policies })
  const { ID } = Policies.at(-1) as { readonly ID: string }
  await secondWorld.service.policies.delete({ ID })
  await expect(firstWorld.service.roles.create({ Name: 's', Policies })).rejects.toMatchObject({
    status: 400,
    message: `No such ACL policy with ID "${ID}"`,
  })
  await inner.close()
})

it('a role with more links than allowed is refused without a read of the store', async () => {
  const { storage, calls } = calledStorage(memoryStorage())
  await using world = await configWorld({ storage })
  const lists = {
    Policies: { ID: '12345678-1234-4234-9234-123456789abc' },
    ServiceIdentities: { ServiceName: 'web' },
    NodeIdentities: { NodeName: 'node', Datacenter: 'dc1' },
    TemplatedPolicies: { TemplateName: 'builtin/dns' },
  }
  for (const [member, item] of Object.entries(lists)) {
    const body = JSON.stringify({ Name: 'r', [member]: Array.from({ length: 10_000 }, () => item) })
    calls.length = 0
    const { status, body: refusal } = await world.ask('PUT', 'acl/role', body, '')
    expect([status, refusal]).toEqual([400, `Role decoding failed: ${member}: must contain at most 1000 entries`])
    expect(calls).toEqual([])
  }
})
