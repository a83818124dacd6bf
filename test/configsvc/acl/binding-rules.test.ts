// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are templates
import { expect, it } from 'vitest'
import { LoginWorld, mapped } from './login-world.ts'

const RULE = {
  AuthMethod: 'm',
  Description: 'web',
  Selector: 'value.team == web',
  BindType: 'service',
  BindName: 'svc-${value.team}',
}

async function opened(): Promise<LoginWorld> {
  const world = await LoginWorld.open()
  await world.method('m', { ClaimMappings: mapped(['team']) })
  return world
}

it('binding rules can be created, read, listed and deleted', async () => {
  await using world = await opened()
  const made = await world.service.bindingRules.create(RULE)
  expect(made).toEqual({ ...RULE, ID: made.ID, CreateIndex: made.ModifyIndex, ModifyIndex: made.ModifyIndex })
  expect(await world.service.bindingRules.read({ ID: made.ID })).toEqual(made)
  expect(await world.service.bindingRules.list()).toEqual([made])
  expect(await world.ask('DELETE', `binding-rule/${made.ID}`)).toEqual({ status: 200, body: true })
  expect(await world.ask('DELETE', `binding-rule/${made.ID}`)).toEqual({ status: 200, body: false })
  expect(await world.ask('DELETE', 'binding-rule/nothing')).toEqual({ status: 200, body: false })
  expect(await world.ask('GET', `binding-rule/${made.ID}`)).toMatchObject({ status: 404 })
  expect(await world.ask('GET', 'binding-rules')).toEqual({ status: 200, body: [] })
})

it('an update of a binding rule keeps members that are absent or null, and stores empty strings', async () => {
  await using world = await opened()
  const { ID, CreateIndex } = await world.service.bindingRules.create(RULE)
  const update = (body: object) => world.ask('PUT', `binding-rule/${ID}`, body)
  const nothing = { ...RULE, CreateIndex, ModifyIndex: CreateIndex + 1 }
  expect(await update({})).toMatchObject({ status: 200, body: nothing })
  expect(await update({ BindName: 'fixed', Selector: null })).toMatchObject({ body: { ...RULE, BindName: 'fixed' } })
  expect(await update({ Selector: '', Description: '' })).toMatchObject({
    body: { Selector: '', Description: '', BindName: 'fixed' },
  })
  expect(await update({ ID: '', AuthMethod: '', CreateIndex: 0, ModifyIndex: 0, BindVars: null })).toMatchObject({ status: 200 })
  expect(await update({ AuthMethod: 'M' })).toMatchObject({ status: 200, body: { AuthMethod: 'm' } })
  expect(await update({ BindName: '' })).toMatchObject({ status: 400, body: expect.stringMatching(/BindName/) })
  expect(await update({ BindType: '' })).toMatchObject({ status: 400, body: expect.stringMatching(/BindType/) })
  expect(await update({ AuthMethod: 'other' })).toMatchObject({
    status: 400,
    body: expect.stringMatching(/AuthMethod is immutable/),
  })
})

it('a binding rule loses its BindVars when its BindType is changed from templated-policy', async () => {
  await using world = await opened()
  const template = { BindType: 'templated-policy', BindName: 'builtin/service', BindVars: { name: 'a-${value.team}' } }
  const { ID } = await world.service.bindingRules.create({ ...RULE, ...template })
  const update = (body: object) => world.ask('PUT', `binding-rule/${ID}`, body)
  expect(await update({ Description: 'new' })).toMatchObject({ body: template })
  expect(await update({ BindVars: { Name: 'b' } })).toMatchObject({ body: { BindVars: { name: 'b' } } })
  expect(await update({ BindVars: {} })).toMatchObject({ status: 400, body: expect.stringMatching(/BindVars/) })
  expect(await update({ BindVars: { name: 'b', other: 'c' } })).toMatchObject({ status: 400 })
  const changed = await update({ BindType: 'service', BindName: 'web' })
  expect(changed).toMatchObject({ status: 200, body: { BindType: 'service', BindName: 'web' } })
  expect(changed.body).not.toHaveProperty('BindVars')
})

it('binding rules are listed in the order of their IDs, optionally for only one auth method', async () => {
  await using world = await opened()
  await world.method('other')
  const made: string[] = []
  for (const AuthMethod of ['m', 'other', 'M', 'm']) {
    const { ID } = await world.service.bindingRules.create({ AuthMethod, BindType: 'role', BindName: 'r' })
    made.push(ID)
  }
  const ids = async (query: object) => (await world.service.bindingRules.list(query)).map(({ ID }) => ID)
  expect(await ids({})).toEqual(made.toSorted())
  expect(await ids({ authmethod: 'M' })).toEqual(made.filter((_, i) => i !== 1).toSorted())
  expect(await ids({ authmethod: 'other' })).toEqual([made[1]])
  expect(await ids({ authmethod: 'nothing' })).toEqual([])
})

it('a binding rule names an auth method of its namespace, regardless of case', async () => {
  await using world = await opened()
  expect(await world.service.bindingRules.create({ ...RULE, AuthMethod: 'M' })).toMatchObject({ AuthMethod: 'M' })
  expect(await world.ask('PUT', 'binding-rule', { ...RULE, Namespace: 'team' })).toMatchObject({ status: 400 })
})

it('a caller without permission does not learn whether a binding rule exists', async () => {
  await using world = await opened()
  const { ID } = await world.service.bindingRules.create(RULE)
  const nowhere = 'ac7560be-7f11-4d6d-bfcf-15633c2090fd'
  for (const method of ['GET', 'DELETE'] as const)
    expect(await world.ask(method, `binding-rule/${ID}`, undefined, null)).toEqual(
      await world.ask(method, `binding-rule/${nowhere}`, undefined, null),
    )
  expect(await world.ask('PUT', `binding-rule/${nowhere}`, RULE, null)).toMatchObject({ status: 403 })
  expect(await world.ask('PUT', `binding-rule/${nowhere}`, RULE)).toMatchObject({ status: 400 })
  expect(await world.ask('PUT', 'binding-rule/nothing', RULE)).toMatchObject({ status: 400, body: expect.stringMatching(/UUID/) })
})

it('the refusal of an invalid selector names the error and its position', async () => {
  await using world = await opened()
  const refused = await world.ask('PUT', 'binding-rule', { ...RULE, Selector: 'value.team = web' })
  expect(refused).toMatchObject({ status: 400, body: expect.stringMatching(/Selector is invalid: 1:\d+/) })
})
