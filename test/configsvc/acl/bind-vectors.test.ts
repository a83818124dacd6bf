/** Cases of bind.json: what logins are granted by the rules of their auth method. */
import { expect, it } from 'vitest'
import { type AclCase, describeAcl } from '../../fixtures/acl-vectors.ts'
import { type Json, LoginWorld, mapped } from './login-world.ts'

interface BindCase extends AclCase {
  readonly method: {
    readonly claims?: readonly string[]
    readonly ClaimMappings?: Json
    readonly ListClaimMappings?: Json
    readonly with?: Json
  }
  readonly claims: Json
  readonly Meta?: Json
  readonly rules: readonly { readonly BindType: string; readonly BindName: string }[]
  readonly roles?: readonly string[]
  readonly policies?: readonly string[]
  readonly expect: {
    readonly refused?: true
    readonly roles?: readonly string[]
    readonly policies?: readonly string[]
    readonly services?: readonly string[]
    readonly nodes?: readonly (readonly [string, string])[]
    readonly token?: Json
    readonly ttl?: number
  }
}

interface Token {
  readonly Roles?: readonly { readonly Name: string }[]
  readonly Policies?: readonly { readonly Name: string }[]
  readonly ServiceIdentities?: readonly { readonly ServiceName: string }[]
  readonly NodeIdentities?: readonly { readonly NodeName: string; readonly Datacenter: string }[]
  readonly CreateTime: string
  readonly ExpirationTime?: string
}

async function opened({ method, roles = [], policies = [], rules }: BindCase): Promise<LoginWorld> {
  const world = await LoginWorld.open()
  const { claims, ClaimMappings = mapped(claims ?? []), ListClaimMappings = {}, with: more = {} } = method
  await world.method('m', { ClaimMappings, ListClaimMappings }, more)
  for (const Name of roles) expect(await world.ask('PUT', 'role', { Name })).toMatchObject({ status: 200 })
  for (const Name of policies) expect(await world.ask('PUT', 'policy', { Name })).toMatchObject({ status: 200 })
  for (const rule of rules)
    expect(await world.ask('PUT', 'binding-rule', { AuthMethod: 'm', ...rule })).toMatchObject({ status: 200 })
  return world
}

describeAcl<BindCase>('bind.json', 'binding', (cases) => {
  it.each(cases)('a login with the recorded binding rules gets the recorded grants, $id: $about', async (testCase) => {
    await using world = await opened(testCase)
    const { claims, Meta, expect: expected } = testCase
    const { status, body } = await world.logIn('m', claims, Meta ? { Meta } : {})
    if (expected.refused) return expect({ status, body }).toEqual({ status: 403, body: 'Permission denied' })
    expect(status).toBe(200)
    const { roles = [], policies = [], services = [], nodes = [], token = {}, ttl } = expected
    const made = body as Token
    expect((made.Roles ?? []).map(({ Name }) => Name)).toEqual(roles)
    expect((made.Policies ?? []).map(({ Name }) => Name)).toEqual(policies)
    expect((made.ServiceIdentities ?? []).map(({ ServiceName }) => ServiceName)).toEqual(services)
    expect((made.NodeIdentities ?? []).map(({ NodeName, Datacenter }) => [NodeName, Datacenter])).toEqual(nodes)
    expect(made).toMatchObject(token)
    const life = made.ExpirationTime && (Date.parse(made.ExpirationTime) - Date.parse(made.CreateTime)) / 1000
    expect(life).toBe(ttl)
  })
})
