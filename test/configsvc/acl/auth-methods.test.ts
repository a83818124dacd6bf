import { expect, it } from 'vitest'
import { certificatePem, RSA, token } from '../../unit/core/jwt/tokens.ts'
import { CONFIG, LoginWorld } from './login-world.ts'

const KUBERNETES = { Host: 'https://abc:8443', CACert: certificatePem(RSA), ServiceAccountJWT: token('RS256') }

const METHOD = { Name: 'Minted', Type: 'jwt', Config: CONFIG }

it('auth methods can be created, read, replaced, listed and deleted by name, regardless of case', async () => {
  await using world = await LoginWorld.open()
  const made = await world.ask('PUT', 'auth-method', { ...METHOD, DisplayName: 'CI', Description: 'runners', MaxTokenTTL: '90s' })
  const { ModifyIndex: at } = made.body as { ModifyIndex: number }
  expect(made).toEqual({
    status: 200,
    body: {
      Name: 'Minted',
      Type: 'jwt',
      DisplayName: 'CI',
      Description: 'runners',
      MaxTokenTTL: '1m30s',
      TokenLocality: 'local',
      Config: CONFIG,
      CreateIndex: at,
      ModifyIndex: at,
    },
  })
  expect(await world.ask('GET', 'auth-method/MINTED')).toEqual(made)
  const { Config: _, ...listed } = made.body as { Config: unknown }
  expect(await world.ask('GET', 'auth-methods')).toEqual({ status: 200, body: [listed] })

  const replaced = await world.ask('PUT', 'auth-method/minted', { Config: CONFIG, TokenLocality: 'global' })
  const kept = { Name: 'Minted', Type: 'jwt', Description: '', TokenLocality: 'global', Config: CONFIG }
  expect(replaced).toEqual({ status: 200, body: { ...kept, CreateIndex: at, ModifyIndex: at + 1 } })
  expect(await world.ask('GET', 'auth-method/Minted')).toEqual(replaced)

  expect(await world.ask('DELETE', 'auth-method/mINTED')).toEqual({ status: 200, body: true })
  expect(await world.ask('DELETE', 'auth-method/minted')).toEqual({ status: 200, body: false })
  expect(await world.ask('GET', 'auth-method/minted')).toMatchObject({ status: 404 })
  expect(await world.ask('GET', 'auth-methods')).toEqual({ status: 200, body: [] })
})

it('creating an auth method with an existing name replaces the method, as in Consul, unless the type differs', async () => {
  await using world = await LoginWorld.open()
  const { CreateIndex } = await world.service.authMethods.create(METHOD)
  expect(await world.service.authMethods.create({ ...METHOD, Name: 'mINTED', Description: 'new' })).toMatchObject({
    Name: 'Minted',
    Description: 'new',
    CreateIndex,
    ModifyIndex: CreateIndex + 1,
  })
  expect(await world.service.authMethods.list()).toHaveLength(1)
  const other = { Name: 'minted', Type: 'kubernetes', Config: KUBERNETES }
  await expect(world.service.authMethods.create(other)).rejects.toMatchObject({ status: 400, message: /Type/ })
})

it('an auth method of type orchestrator can be updated to the type kubernetes, which is the same type', async () => {
  await using world = await LoginWorld.open()
  await world.service.authMethods.create({ Name: 'k', Type: 'orchestrator', Config: KUBERNETES })
  expect(await world.service.authMethods.read({ Name: 'k' })).toMatchObject({ Type: 'orchestrator', Config: KUBERNETES })
  const renamed = await world.service.authMethods.update({ Name: 'k', Type: 'kubernetes', Config: KUBERNETES })
  expect(renamed).toMatchObject({ Type: 'kubernetes' })
})

it('writing an auth method accepts the request bodies of the Go client, and a body that was read before', async () => {
  await using world = await LoginWorld.open()
  const struct = { ...METHOD, NamespaceRules: null, CreateIndex: 0, ModifyIndex: 0 }
  expect(await world.ask('PUT', 'auth-method', struct)).toMatchObject({ status: 200 })
  const read = await world.ask('GET', 'auth-method/minted')
  expect(await world.ask('PUT', 'auth-method/Minted', read.body)).toEqual({
    status: 200,
    body: { ...(read.body as object), ModifyIndex: expect.any(Number) },
  })
})

it.each([
  ['a missing name', { Name: '' }, /Name/],
  ['a name with a space', { Name: 'a b' }, /Name/],
  ['a name that is too long', { Name: 'a'.repeat(129) }, /Name/],
  ['a missing type', { Type: '' }, /Type/],
  ['a lifetime below one minute', { MaxTokenTTL: '59s' }, /MaxTokenTTL/],
  ['a lifetime above one day', { MaxTokenTTL: '24h0m1s' }, /MaxTokenTTL/],
  ['a negative lifetime', { MaxTokenTTL: '-5m' }, /MaxTokenTTL/],
  ['a lifetime that is invalid', { MaxTokenTTL: 'soon' }, /MaxTokenTTL/],
  ['a locality that is invalid', { TokenLocality: 'moon' }, /TokenLocality/],
  ['namespace rules', { NamespaceRules: [{ BindNamespace: 'x', Selector: '' }] }, /NamespaceRules/],
  ['a Config that is not an object', { Config: [] }, /Config/],
  ['an unknown member', { Colour: 'red' }, /unknown field "Colour"/],
  ['a name that is not a string', { Name: 7 }, /Name/],
])('creating an auth method is refused with %s', async (_, member, message) => {
  await using world = await LoginWorld.open()
  const refused = await world.ask('PUT', 'auth-method', { ...METHOD, ...member })
  expect(refused).toMatchObject({ status: 400 })
  expect(refused.body).toMatch(message)
})

it('a caller without permission does not learn whether an auth method exists', async () => {
  await using world = await LoginWorld.open()
  await world.service.authMethods.create(METHOD)
  const paths = ['auth-method/minted', 'auth-method/nothing']
  for (const method of ['GET', 'DELETE'] as const) {
    const [there, nowhere] = await Promise.all(paths.map((path) => world.ask(method, path, undefined, null)))
    expect(there).toEqual(nowhere)
    expect(there).toMatchObject({ status: 403 })
  }
  const update = await world.ask('PUT', 'auth-method/nothing', { Name: 'nothing', Type: 'moon' }, null)
  expect(update).toMatchObject({ status: 403 })
})

it('updating an auth method that does not exist is refused with 400', async () => {
  await using world = await LoginWorld.open()
  expect(await world.ask('PUT', 'auth-method/nothing', { ...METHOD, Name: 'nothing' })).toMatchObject({ status: 400 })
})

it('auth methods with the same name in different namespaces are independent', async () => {
  await using world = await LoginWorld.open()
  await world.service.authMethods.create({ ...METHOD, Description: 'default' })
  await world.service.authMethods.create({ ...METHOD, Namespace: 'team', Description: 'team' })
  expect(await world.service.authMethods.read({ Name: 'minted', ns: 'team' })).toMatchObject({
    Namespace: 'team',
    Description: 'team',
  })
  expect(await world.service.authMethods.list()).toHaveLength(1)
  expect(await world.service.authMethods.list({ ns: '*' })).toHaveLength(2)
  await world.service.authMethods.delete({ Name: 'minted', ns: 'team' })
  expect(await world.service.authMethods.read({ Name: 'minted' })).toMatchObject({ Description: 'default' })
})
