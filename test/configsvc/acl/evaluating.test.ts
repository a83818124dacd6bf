/** Evaluates binding rules for a hypothetical identity. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are templates
import { expect, it } from 'vitest'
import { certificatePem, RSA, token } from '../../unit/core/jwt/tokens.ts'
import { LoginWorld, mapped } from './login-world.ts'

async function opened(): Promise<LoginWorld> {
  const world = await LoginWorld.open()
  await world.method('m', { ClaimMappings: mapped(['team', 'name']), ListClaimMappings: mapped(['groups']) })
  return world
}

it('evaluating binding rules returns for each rule whether it matches, the reason and the computed name', async () => {
  await using world = await opened()
  const { service } = world
  await service.roles.create({ Name: 'web-admins' })
  const rules = [
    { Selector: 'value.team == web', BindType: 'role', BindName: '${value.team}-admins' },
    { Selector: 'value.team == web', BindType: 'role', BindName: '${value.team}-guests' },
    { Selector: 'value.team == db', BindType: 'service', BindName: 'db' },
    { Selector: 'ops in list.groups', BindType: 'node', BindName: 'n-${value.name}' },
    { BindType: 'templated-policy', BindName: 'builtin/service', BindVars: { name: 's-${value.team}' } },
  ]
  const ids: string[] = []
  for (const rule of rules) ids.push((await service.bindingRules.create({ AuthMethod: 'm', ...rule })).ID)
  const identity = { value: { team: 'web' }, list: { groups: ['ops'] } }
  const evaluation = await service.bindingRules.evaluate({ auth_method: 'M', identity })
  const ofRule = (i: number) => evaluation.Rules.find(({ ID }) => ID === ids[i])
  expect(evaluation.Rules.map(({ ID }) => ID)).toEqual(ids.toSorted())
  expect(ofRule(0)).toMatchObject({ Matches: true, Name: 'web-admins', Reason: expect.stringContaining('value.team is "web"') })
  expect(ofRule(0)).not.toHaveProperty('Ignored')
  expect(ofRule(1)).toMatchObject({ Matches: true, Name: 'web-guests', Ignored: expect.stringContaining('no role') })
  expect(ofRule(2)).toMatchObject({ Matches: false, Reason: expect.stringContaining('is false') })
  expect(ofRule(2)).not.toHaveProperty('Name')
  // A claim that the caller does not have is empty in names.
  expect(ofRule(3)).toMatchObject({ Matches: true, Refusal: expect.stringMatching(/BindName.*"n-"/) })
  expect(ofRule(4)).toMatchObject({ Matches: true, Reason: 'the rule has no Selector', Variables: { name: 's-web' } })
  expect(evaluation.Allowed).toBe(false)
  expect(evaluation).not.toHaveProperty('Roles')
  expect(await world.logIn('m', { team: 'web', groups: ['ops'] })).toMatchObject({ status: 403 })

  const named = await service.bindingRules.evaluate({
    auth_method: 'm',
    identity: { ...identity, value: { team: 'web', name: 'x' } },
  })
  expect(named).toMatchObject({
    Allowed: true,
    Roles: [{ Name: 'web-admins' }],
    NodeIdentities: [{ NodeName: 'n-x', Datacenter: 'dc1' }],
    TemplatedPolicies: [{ TemplateName: 'builtin/service', TemplateVariables: { name: 's-web' } }],
  })
  const { Allowed: _, Rules: __, ...grants } = named
  expect((await world.logIn('m', { team: 'web', name: 'x', groups: 'ops' })).body).toMatchObject(grants)
})

it('evaluating binding rules refuses an identity that does not have the members of the auth method’s type', async () => {
  await using world = await opened()
  const { bindingRules, authMethods } = world.service
  const Config = { Host: 'https://abc:8443', CACert: certificatePem(RSA), ServiceAccountJWT: token('RS256') }
  await authMethods.create({ Name: 'k', Type: 'kubernetes', Config })
  await bindingRules.create({ AuthMethod: 'k', BindType: 'service', BindName: '${serviceaccount.name}' })
  const serviceaccount = { namespace: 'default', name: 'web', uid: '1' }
  const evaluation = await bindingRules.evaluate({ auth_method: 'k', identity: { serviceaccount } })
  expect(evaluation).toMatchObject({ Allowed: true, ServiceIdentities: [{ ServiceName: 'web' }] })
  for (const identity of [{ value: {} }, { serviceaccount: { name: 7 } }, { serviceaccount: { colour: 'red' } }])
    await expect(bindingRules.evaluate({ auth_method: 'k', identity })).rejects.toMatchObject({ status: 400 })
  await expect(bindingRules.evaluate({ auth_method: 'm', identity: { serviceaccount } })).rejects.toMatchObject({ status: 400 })
  await expect(bindingRules.evaluate({ auth_method: 'none', identity: {} })).rejects.toMatchObject({ status: 404 })
  await expect(bindingRules.evaluate({ auth_method: 'm', identity: 'x' as never })).rejects.toThrow(TypeError)
})

it('evaluating binding rules requires the permission acl:read', async () => {
  await using world = await opened()
  const evaluation = world.service.as('').bindingRules.evaluate({ auth_method: 'none', identity: {} })
  await expect(evaluation).rejects.toMatchObject({ status: 403 })
})
