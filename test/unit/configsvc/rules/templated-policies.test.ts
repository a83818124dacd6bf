import { describe, expect, it } from 'vitest'
import {
  appliesIn,
  parseRules,
  readTemplateName,
  synthesize,
  syntheticPolicies,
  templatedPolicies,
  validateVariables,
} from '../../../../src/configsvc/rules/index.ts'
import { anyCharacter } from '../../../fixtures/any-character.ts'
import fc from '../../../fixtures/fast-check.ts'

describe('templated policies', () => {
  it('have the names and IDs of Consul', () => {
    expect(templatedPolicies().map(({ TemplateName, TemplateID }) => [TemplateName, TemplateID.slice(-2)])).toEqual([
      ['builtin/service', '03'],
      ['builtin/node', '04'],
      ['builtin/dns', '05'],
      ['builtin/nomad-server', '06'],
      ['builtin/api-gateway', '08'],
      ['builtin/nomad-client', '09'],
    ])
  })

  it('have a placeholder and a schema only if they require a name', () => {
    for (const { TemplateName, Schema, Template, Description } of templatedPolicies()) {
      const takesName = ['builtin/service', 'builtin/node', 'builtin/api-gateway'].includes(TemplateName)
      expect(Template.includes('"{{.Name}}"')).toBe(takesName)
      if (takesName) expect(JSON.parse(Schema)).toMatchObject({ type: 'object', required: ['name'] })
      else expect(Schema).toBe('')
      expect(Description.length).toBeGreaterThan(10)
    }
  })

  it('produce the rules of their template with the name filled in', () => {
    for (const { TemplateName, Template } of templatedPolicies())
      expect(synthesize(TemplateName, { name: 'web' }).Rules).toBe(Template.replaceAll('{{.Name}}', 'web'))
  })

  it('treat the given name as a name, even if it contains the syntax of rules', () => {
    const evil = fc.oneof(
      fc.string({ unit: anyCharacter, minLength: 1, maxLength: 40 }),
      fc
        .array(fc.constantFrom('"', '\\', '$', '{', '}', '\n', 'a', '{{.Name}}', "$'", '$&'), { minLength: 1, maxLength: 20 })
        .map((l) => l.join('')),
    )
    fc.assert(
      fc.property(evil, (name) => {
        expect(parseRules(synthesize('builtin/api-gateway', { name }).Rules)).toEqual([
          { resource: 'mesh', match: 'exact', name: '', level: 'read' },
          { resource: 'node', match: 'prefix', name: '', level: 'read' },
          { resource: 'service', match: 'prefix', name: '', level: 'read' },
          { resource: 'service', match: 'exact', name, level: 'write' },
        ])
      }),
      { numRuns: 2000 },
    )
  })

  it.each([
    ['builtin/service', 'Web'],
    ['builtin/node', 'a-'],
    ['builtin/service', 'a'.repeat(257)],
    ['builtin/api-gateway', ''],
    ['builtin/api-gateway', 'a'.repeat(257)],
  ])('for %s refuse the name %j', (template, name) => {
    expect(() => validateVariables(readTemplateName(template), { name })).toThrow(
      expect.objectContaining({ status: 400, message: expect.stringContaining(template) }),
    )
  })

  it('accept valid names, and any name if the template has no variables', () => {
    expect(() => validateVariables('builtin/service', { name: 'web' })).not.toThrow()
    expect(() => validateVariables('builtin/api-gateway', { name: 'Any Name!' })).not.toThrow()
    expect(() => validateVariables('builtin/dns', { name: 'Any Name!' })).not.toThrow()
    expect(() => validateVariables('builtin/dns')).not.toThrow()
  })

  it.each(['', 'service', 'builtin/workload-identity', 'toString', 'Builtin/service'])(
    'do not exist under the name %j',
    (name) => {
      expect(() => readTemplateName(name)).toThrow(expect.objectContaining({ status: 400 }))
    },
  )
})

describe('synthetic policies', () => {
  it('for service and node identities equal those of the corresponding templates', () => {
    const [service, node, templated] = syntheticPolicies({
      ServiceIdentities: [{ ServiceName: 'web' }],
      NodeIdentities: [{ NodeName: 'n1', Datacenter: 'dc2' }],
      TemplatedPolicies: [{ TemplateName: 'builtin/service', TemplateVariables: { name: 'web' }, Datacenters: ['dc1'] }],
    })
    expect([service?.ID, service?.Datacenters]).toEqual([templated?.ID, []])
    expect(templated?.Datacenters).toEqual(['dc1'])
    expect(node).toMatchObject({ Rules: synthesize('builtin/node', { name: 'n1' }).Rules, Datacenters: ['dc2'] })
  })

  it('have IDs that contain their rules, and names that contain their IDs', () => {
    const { ID, Name, Rules } = synthesize('builtin/dns')
    expect(ID).toBe(`${Buffer.from(Rules).toString('hex')}6c62272e07bb014262b821756295c58d`)
    expect(Name).toBe(`synthetic-policy-${ID}`)
  })

  it('apply in every datacenter if they name none, otherwise only in those they name', () => {
    expect(appliesIn({}, 'dc1')).toBe(true)
    expect(appliesIn({ Datacenters: [] }, 'dc1')).toBe(true)
    expect(appliesIn({ Datacenters: ['dc2', 'dc1'] }, 'dc1')).toBe(true)
    expect(appliesIn({ Datacenters: ['dc2'] }, 'dc1')).toBe(false)
  })
})
