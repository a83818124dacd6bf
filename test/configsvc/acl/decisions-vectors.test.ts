/** Cases of decisions.json: what a token may do by its policies and roles, as the service decides. */
import { expect, it } from 'vitest'
import { type AclCase, describeAcl } from '../../fixtures/acl-vectors.ts'
import { answered, type ConfigWorld, configWorld } from '../../fixtures/configsvc.ts'

type DefaultPolicy = 'allow' | 'deny'

interface DecisionsCase extends AclCase {
  readonly policies: readonly string[]
  readonly builtin?: readonly string[]
  readonly default_policy: DefaultPolicy | readonly DefaultPolicy[]
  readonly asks: readonly { readonly permission: string; readonly resource: string; readonly expect: DefaultPolicy }[]
}

const MAX_AT_ONCE = 64

/** @param half Which of the policies the token gets from a role; it links to the others directly. */
async function tokenWith({ service }: ConfigWorld, { policies, builtin = [] }: DecisionsCase, half: number): Promise<string> {
  const made = await Promise.all(policies.map((Rules, at) => service.policies.create({ Name: `p${at}`, Rules })))
  const links = [...made.map(({ ID }) => ({ ID })), ...builtin.map((Name) => ({ Name }))]
  const role = await service.roles.create({ Name: 'r', Policies: links.filter((_, at) => at % 2 === half) })
  const Policies = links.filter((_, at) => at % 2 !== half)
  const { SecretID } = await service.tokens.create({ Policies, Roles: [{ ID: role.ID }] })
  return SecretID as string
}

function* inLists<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += MAX_AT_ONCE) yield all.slice(at, at + MAX_AT_ONCE)
}

describeAcl<DecisionsCase>('decisions.json', 'decisions', (cases) => {
  it.each(cases)('a token gets the recorded permission decisions, $id: $about', async (testCase) => {
    for (const [half, defaultPolicy] of ([testCase.default_policy].flat() as DefaultPolicy[]).entries()) {
      await using world = await configWorld({ acl: { defaultPolicy } })
      const token = await tokenWith(world, testCase, half)
      for (const asks of inLists(testCase.asks)) {
        const body = asks.map(({ permission, resource }) => {
          const [Resource, Access] = permission.split(':')
          return { Resource, Access, ...(resource && { Segment: resource }) }
        })
        const expected = asks.map(({ expect: decision }, at) => ({ ...body[at], Allow: decision === 'allow' }))
        expect(await answered(world.ask('POST', 'internal/acl/authorize', body, token))).toEqual(expected)
      }
      for (const { permission, resource, expect: decision } of testCase.asks) {
        const request = { token, permission: permission as 'acl:read', resource }
        const label = [defaultPolicy, permission, resource]
        expect([...label, await world.service.acl.authorize(request)]).toEqual([...label, decision === 'allow'])
      }
    }
  })
})
