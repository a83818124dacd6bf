import { describe, expect, it } from 'vitest'
import {
  authorizerOf,
  type DefaultPolicy,
  GLOBAL_MANAGEMENT,
  GLOBAL_READ_ONLY,
  parseRules,
  RESOURCES,
  type ResourceName,
} from '../../../../src/configsvc/rules/index.ts'

const by = (defaultPolicy: DefaultPolicy, ...texts: string[]) =>
  authorizerOf(
    texts.map((text, i) => ({ name: `p${i}`, rules: parseRules(text) })),
    defaultPolicy,
  )

const EVERY = (Object.keys(RESOURCES) as ResourceName[]).flatMap((resource) =>
  RESOURCES[resource].accesses.map((access) => ({ resource, access })),
)

describe('the built-in policies', () => {
  it('global-management allows everything', () => {
    const authorizer = by('deny', GLOBAL_MANAGEMENT.Rules)
    for (const { resource, access } of EVERY)
      for (const segment of ['', 'any', '*']) expect(authorizer.decide(resource, access, segment)).toBe(true)
  })

  it('global-read-only allows all reads and nothing else', () => {
    const authorizer = by('allow', GLOBAL_READ_ONLY.Rules)
    for (const { resource, access } of EVERY)
      for (const segment of ['', 'any', '*'])
        expect([resource, access, authorizer.decide(resource, access, segment)]).toEqual([resource, access, access === 'read'])
  })

  it('have the same IDs and names as in Consul', () => {
    expect([GLOBAL_MANAGEMENT.ID, GLOBAL_MANAGEMENT.Name]).toEqual(['00000000-0000-0000-0000-000000000001', 'global-management'])
    expect([GLOBAL_READ_ONLY.ID, GLOBAL_READ_ONLY.Name]).toEqual([
      '00000000-0000-0000-0000-000000000002',
      'builtin/global-read-only',
    ])
  })
})

describe('the permission for intentions of a service', () => {
  it('follows from the merged service rules of all policies if no rule sets intentions', () => {
    const authorizer = by('allow', 'service "a" { policy = "write" }', 'service "a" { policy = "deny" }')
    expect(authorizer.decide('intention', 'read', 'a')).toBe(false)
  })

  it('is that of the rule that sets intentions, even if another policy denies the service', () => {
    const authorizer = by('deny', 'service "a" { policy = "deny" }', 'service "a" { policy = "read" intentions = "write" }')
    expect(authorizer.decide('service', 'read', 'a')).toBe(false)
    expect(authorizer.decide('intention', 'write', 'a')).toBe(true)
  })
})

describe('permission for at least one name', () => {
  it.each([
    ['a rule for a name that grants it', 'deny', 'service "a" { policy = "write" } service_prefix "" { policy = "deny" }', true],
    ['a rule for a prefix that grants it', 'deny', 'service_prefix "a" { policy = "write" }', true],
    ['only a rule with a lower level', 'deny', 'service "a" { policy = "read" }', false],
    ['a default policy that allows, despite a rule with a lower level', 'allow', 'service "a" { policy = "read" }', true],
    ['a default policy that allows, if a rule denies all names', 'allow', 'service_prefix "" { policy = "read" }', false],
    ['a default policy that denies, without rules', 'deny', '', false],
  ] as const)('to write is granted with %s: %s', (_, defaultPolicy, text, expected) => {
    expect(by(defaultPolicy, text).allowsAny('service', 'write')).toBe(expected)
  })

  it('equals the permission for the resource itself if the resource has no names', () => {
    expect(by('deny', 'operator = "write"').allowsAny('mesh', 'write')).toBe(true)
    expect(by('allow', '').allowsAny('acl', 'read')).toBe(false)
  })
})

describe('key:write-prefix', () => {
  const rules = 'key_prefix "a/" { policy = "write" } key "a/b/secret" { policy = "read" } key "c" { policy = "deny" }'

  it.each([
    ['a/', false],
    ['a/b', false],
    ['a/b/secret', false],
    ['a/b/secrets', true],
    ['a/c/', true],
    ['c', false],
    ['d', undefined],
    ['', false],
  ])('for the prefix %j depends on every rule that applies to a key below this prefix', (prefix, expected) => {
    for (const defaultPolicy of ['allow', 'deny'] as const)
      expect(by(defaultPolicy, rules).decide('key', 'write-prefix', prefix)).toBe(expected ?? defaultPolicy === 'allow')
  })
})

describe('the explanation of a decision', () => {
  const authorizer = by(
    'deny',
    'service_prefix "web" { policy = "write" intentions = "read" } operator = "read"',
    'service "web-1" { policy = "read" }',
  )

  it('names the deciding rule and its policy', () => {
    expect(authorizer.explain('service', 'write', 'web-2')).toEqual({
      allow: true,
      by: { policy: 'p0', rule: { key: 'service_prefix', name: 'web', field: 'policy', level: 'write' } },
    })
    expect(authorizer.explain('intention', 'write', 'web-2')).toEqual({
      allow: false,
      by: { policy: 'p0', rule: { key: 'service_prefix', name: 'web', field: 'intentions', level: 'read' } },
    })
  })

  it('names the field `policy` of the service rule if the level for intentions is derived from that field', () => {
    expect(authorizer.explain('intention', 'read', 'web-1')).toEqual({
      allow: true,
      by: { policy: 'p1', rule: { key: 'service', name: 'web-1', field: 'policy', level: 'read' } },
    })
  })

  it('names the operator rule for the mesh if no mesh rule exists', () => {
    expect(authorizer.explain('mesh', 'write')).toEqual({
      allow: false,
      by: { policy: 'p0', rule: { key: 'operator', name: '', field: 'policy', level: 'read' } },
    })
  })

  it('names the default policy if no rule matches', () => {
    expect(authorizer.explain('node', 'read', 'n')).toEqual({ allow: false, by: 'default' })
  })
})

it('Authorizer.decide throws a TypeError if the resource is unknown or does not support the access', () => {
  expect(() => by('allow', '').decide('node', 'list', 'n')).toThrow(TypeError)
  expect(() => by('allow', '').decide('nothing' as 'node', 'read', 'n')).toThrow(TypeError)
})
