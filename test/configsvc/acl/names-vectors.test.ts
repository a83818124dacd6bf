/** names.json: names of policies and roles, and of services and nodes inside a role. */
import { describe, expect, it } from 'vitest'
import { ABSENT, aclVectors, vectorsPresent } from '../../fixtures/acl-vectors.ts'
import { configWorld } from '../../fixtures/configsvc.ts'

interface NamesCase {
  readonly id: string
  readonly of: string
  readonly name: string
  readonly valid: boolean
}

/** The request that stores the name. */
const REQUESTS: Readonly<Record<string, (name: string) => readonly [path: string, body: unknown]>> = {
  policy: (Name) => ['acl/policy', { Name }],
  role: (Name) => ['acl/role', { Name }],
  'service-identity': (ServiceName) => ['acl/role', { Name: 'r', ServiceIdentities: [{ ServiceName }] }],
  'node-identity': (NodeName) => ['acl/role', { Name: 'r', NodeIdentities: [{ NodeName, Datacenter: 'dc1' }] }],
}

describe.skipIf(!vectorsPresent)(`names ${ABSENT}`, () => {
  const cases = aclVectors<NamesCase>('names.json').filter(({ of }) => Object.hasOwn(REQUESTS, of))

  it('are most of the file', () => {
    expect(cases.length).toBeGreaterThan(30)
  })

  it.each(cases)('$id $of', async ({ of, name, valid }) => {
    await using world = await configWorld()
    const [path, body] = REQUESTS[of]?.(name) ?? ['', {}]
    expect((await world.ask('PUT', path, body)).status).toBe(valid ? 200 : 400)
  })
})
