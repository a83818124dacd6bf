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
  it('are these', () => {
    expect(templatedPolicies().map(({ TemplateName, TemplateID }) => [TemplateName, TemplateID.slice(-2)])).toEqual([
      ['builtin/service', '03'],
      ['builtin/node', '04'],
      ['builtin/dns', '05'],
      ['builtin/nomad-server', '06'],
      ['builtin/api-gateway', '08'],
      ['builtin/nomad-client', '09'],
    ])
  })

  it('have a schema where they take a name, and show where it goes', () => {
    for (const { TemplateName, Schema, Template, Description } of templatedPolicies()) {
      const takesName = ['builtin/service', 'builtin/node', 'builtin/api-gateway'].includes(TemplateName)
      expect(Template.includes('"{{.Name}}"')).toBe(takesName)
      if (takesName) expect(JSON.parse(Schema)).toMatchObject({ type: 'object', required: ['name'] })
      else expect(Schema).toBe('')
      expect(Description.length).toBeGreaterThan(10)
    }
  })

  it('give the rules that the template shows', () => {
    for (const { TemplateName, Template } of templatedPolicies())
      expect(synthesize(TemplateName, { name: 'web' }).Rules).toBe(Template.replaceAll('{{.Name}}', 'web'))
  })

  it('take any text for no more than a name', () => {
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
  ])('%s refuses the name %j', (template, name) => {
    expect(() => validateVariables(readTemplateName(template), { name })).toThrow(
      expect.objectContaining({ status: 400, message: expect.stringContaining(template) }),
    )
  })

  it('take the names that they should, and ignore one that they have no place for', () => {
    expect(() => validateVariables('builtin/service', { name: 'web' })).not.toThrow()
    expect(() => validateVariables('builtin/api-gateway', { name: 'Any Name!' })).not.toThrow()
    expect(() => validateVariables('builtin/dns', { name: 'Any Name!' })).not.toThrow()
    expect(() => validateVariables('builtin/dns')).not.toThrow()
  })

  it.each(['', 'service', 'builtin/workload-identity', 'toString', 'Builtin/service'])('%j is none', (name) => {
    expect(() => readTemplateName(name)).toThrow(expect.objectContaining({ status: 400 }))
  })
})

describe('synthetic policies', () => {
  it('of a service and a node are those of the templates', () => {
    const [service, node, templated] = syntheticPolicies({
      ServiceIdentities: [{ ServiceName: 'web' }],
      NodeIdentities: [{ NodeName: 'n1', Datacenter: 'dc2' }],
      TemplatedPolicies: [{ TemplateName: 'builtin/service', TemplateVariables: { name: 'web' }, Datacenters: ['dc1'] }],
    })
    expect([service?.ID, service?.Datacenters]).toEqual([templated?.ID, []])
    expect(templated?.Datacenters).toEqual(['dc1'])
    expect(node).toMatchObject({ Rules: synthesize('builtin/node', { name: 'n1' }).Rules, Datacenters: ['dc2'] })
  })

  it('are named by their rules', () => {
    const { ID, Name, Rules } = synthesize('builtin/dns')
    expect(ID).toBe(`${Buffer.from(Rules).toString('hex')}6c62272e07bb014262b821756295c58d`)
    expect(Name).toBe(`synthetic-policy-${ID}`)
  })

  it('apply everywhere or in their datacenters', () => {
    expect(appliesIn({}, 'dc1')).toBe(true)
    expect(appliesIn({ Datacenters: [] }, 'dc1')).toBe(true)
    expect(appliesIn({ Datacenters: ['dc2', 'dc1'] }, 'dc1')).toBe(true)
    expect(appliesIn({ Datacenters: ['dc2'] }, 'dc1')).toBe(false)
  })
})
