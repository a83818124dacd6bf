/**
 * The caller of a typed method may change its arguments as soon as the call has returned.
 */
import { expect, it } from 'vitest'
import { configWorld } from '../fixtures/configsvc.ts'
import { P256, spkiPem } from '../unit/core/jwt/tokens.ts'

it('a typed call uses config entries as they were at the time of the call, including nested values', async () => {
  await using world = await configWorld()
  const { entries } = world.service
  const defaults = { Kind: 'proxy-defaults' as const, Name: 'global', Config: { protocol: 'http', deep: { list: [1] } } }
  const call = entries.apply(defaults)
  defaults.Config.protocol = 'tcp'
  defaults.Config.deep.list.push(2)
  await call
  expect(await entries.get({ Kind: 'proxy-defaults', Name: 'global' })).toMatchObject({
    Config: { protocol: 'http', deep: { list: [1] } },
  })
  const list = [{ Kind: 'service-defaults' as const, Name: 'web', Protocol: 'http' }]
  const many = entries.apply(list)
  list.push({ Kind: 'service-defaults', Name: 'other', Protocol: 'http' })
  await many
  expect((await entries.list({ Kind: 'service-defaults' })).map(({ Name }) => Name)).toEqual(['web'])
})

it('a typed call uses an auth method’s Config as it was at the time of the call, and likewise an identity', async () => {
  await using world = await configWorld()
  const { authMethods, bindingRules } = world.service
  const Config = { JWTValidationPubKeys: [spkiPem(P256)], JWTSupportedAlgs: ['ES256'], ClaimMappings: { a: 'a' } }
  const made = authMethods.create({ Name: 'm', Type: 'jwt', Config })
  Config.ClaimMappings.a = 'other'
  await made
  expect(await authMethods.read({ Name: 'm' })).toMatchObject({ Config: { ClaimMappings: { a: 'a' } } })
  await bindingRules.create({ AuthMethod: 'm', BindType: 'service', BindName: 'web', Selector: 'value.a == x' })
  const identity = { value: { a: 'x' } }
  const evaluated = bindingRules.evaluate({ auth_method: 'm', identity })
  identity.value.a = 'y'
  expect(await evaluated).toMatchObject({ Allowed: true })
})
