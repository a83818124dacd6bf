/** Cases of names.json: names of policies and roles, and of services and nodes in a role or a token. */
import { expect, it } from 'vitest'
import { describeAcl } from '../../fixtures/acl-vectors.ts'
import { configWorld } from '../../fixtures/configsvc.ts'

interface NamesCase {
  readonly id: string
  readonly of: string
  readonly name: string
  readonly valid: boolean
}

type NamedRequest = readonly [path: string, body: object]

const inside = (grants: object): readonly NamedRequest[] => [
  ['acl/role', { Name: 'r', ...grants }],
  ['acl/token', grants],
]

/** The requests that store the name. */
const REQUESTS: Readonly<Record<string, (name: string) => readonly NamedRequest[]>> = {
  policy: (Name) => [['acl/policy', { Name }]],
  role: (Name) => [['acl/role', { Name }]],
  'service-identity': (ServiceName) => inside({ ServiceIdentities: [{ ServiceName }] }),
  'node-identity': (NodeName) => inside({ NodeIdentities: [{ NodeName, Datacenter: 'dc1' }] }),
}

describeAcl<NamesCase>('names.json', 'names', (all) => {
  const cases = all.filter(({ of }) => Object.hasOwn(REQUESTS, of))

  it('the file names.json contains more than 30 names that a request can store', () => {
    expect(cases.length).toBeGreaterThan(30)
  })

  it.each(cases)('a name is accepted or refused as recorded: name $id of type $of', async ({ of, name, valid }) => {
    await using world = await configWorld()
    for (const [path, body] of REQUESTS[of]?.(name) ?? [])
      expect([path, (await world.ask('PUT', path, body)).status]).toEqual([path, valid ? 200 : 400])
  })
})
