import { expect, it } from 'vitest'
import { answered, configWorld } from '../../fixtures/configsvc.ts'

const NAMES = ['api-gateway', 'dns', 'node', 'nomad-client', 'nomad-server', 'service'].map((name) => `builtin/${name}`)

it('listing templated policies returns each policy as reading it by name does', async () => {
  await using world = await configWorld()
  const all = await answered(world.ask('GET', 'acl/templated-policies'))
  expect(Object.keys(all).sort()).toEqual(NAMES)
  expect(await world.service.templatedPolicies.list()).toEqual(all)
  for (const TemplateName of NAMES) {
    const [Schema, Template, Description] = [expect.any(String), expect.stringContaining('policy = "'), expect.any(String)]
    expect(all[TemplateName]).toEqual({ TemplateName, Schema, Template, Description })
    for (const path of [TemplateName, TemplateName.replace('/', '%2F')])
      expect(await answered(world.ask('GET', `acl/templated-policy/name/${path}`))).toEqual(all[TemplateName])
  }
  expect(JSON.parse(all['builtin/service'].Schema)).toMatchObject({ required: ['name'] })
  expect(all['builtin/dns'].Schema).toBe('')
})

it('the preview of a templated policy contains the rules that a token with the policy gets', async () => {
  await using world = await configWorld()
  const sent = [{ name: 'web' }, { Name: 'web' }]
  const previews = await Promise.all(
    sent.map((body) => answered(world.ask('POST', 'acl/templated-policy/preview/builtin%2Fservice', body))),
  )
  const [first] = previews
  for (const preview of previews) expect(preview).toEqual(first)
  expect(first).toEqual({
    ID: expect.any(String),
    Name: `synthetic-policy-${first.ID}`,
    Description: expect.any(String),
    Rules: expect.stringContaining('service "web-sidecar-proxy"'),
    Hash: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
  })
  const { templatedPolicies } = world.service
  expect(await templatedPolicies.preview({ TemplateName: 'builtin/service', TemplateVariables: { name: 'web' } })).toEqual(first)
  // A template without variables needs no body either.
  for (const body of [undefined, null, {}, { name: 'x' }])
    expect((await world.ask('POST', 'acl/templated-policy/preview/builtin/dns', body)).status).toBe(200)
})

it.each([
  ['builtin/nope', { name: 'web' }],
  ['service', { name: 'web' }],
  ['builtin/service', undefined],
  ['builtin/service', {}],
  ['builtin/service', { name: 'WEB' }],
  ['builtin/service', { name: 'web', other: 'x' }],
  ['builtin/service', ['web']],
])('the preview of %s is refused with 400 if the body is %j', async (name, body) => {
  await using world = await configWorld()
  expect((await world.ask('POST', `acl/templated-policy/preview/${name}`, body)).status).toBe(400)
})

it('reading a templated policy is refused without the permission acl:read, and if the name is unknown', async () => {
  await using world = await configWorld()
  expect((await world.ask('GET', 'acl/templated-policy/name/builtin/nope')).status).toBe(400)
  for (const [method, path] of [
    ['GET', 'acl/templated-policies'],
    ['GET', 'acl/templated-policy/name/builtin/nope'],
    ['POST', 'acl/templated-policy/preview/builtin/nope'],
  ] as const)
    expect((await world.ask(method, path, undefined, '')).status).toBe(403)
})
