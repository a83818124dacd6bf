import { describe, expect, it } from 'vitest'
import { runToEnd } from '../../../../src/core/base/steps.ts'
import {
  type AclRequest,
  compileAcl,
  DEFAULT_POLICY_TEXT,
  type NamedPolicy,
  parsePolicy,
  ROOT_ACL,
  type TemplateIdentity,
} from '../../../../src/core/policy/index.ts'
import { mergeTerms } from '../../../../src/core/policy/merge-rules.ts'
import type { ParameterValues } from '../../../../src/core/policy/policy.ts'

const named = (name: string, text: string, namespace = ''): NamedPolicy => ({ name, policy: parsePolicy(text), namespace })

const aclOf = (text: string, identity?: TemplateIdentity) => compileAcl([named('app', text)], identity)

describe('a pattern in several policy blocks', () => {
  const NAMES = ['foo', 'bar', 'baz', 'zip', 'test', 'test1', 'empty', '*', 'x']
  const valuesOf = (values: ParameterValues | undefined) =>
    values && new Map(NAMES.filter((name) => values.has(name)).map((name) => [name, values.get(name)]))
  const merged = (...blocks: string[]) => {
    const terms = mergeTerms(blocks.flatMap((block) => parsePolicy(`path "a" { ${block} }`).rules))
    return { ...terms, allowed: valuesOf(terms.allowed), denied: valuesOf(terms.denied), required: terms.required.flat() }
  }

  it.each<[string, string, string, object]>([
    ['capabilities', 'capabilities = ["read"]', 'capabilities = ["list"]', { capabilities: 2 | 16 }],
    ['deny after', 'capabilities = ["read"]', 'policy = "deny"', { capabilities: 128 }],
    [
      'deny before',
      'policy = "deny" denied_parameters = { x = [] }',
      'capabilities = ["read"]',
      { capabilities: 128, denied: undefined },
    ],
    [
      'denied and required',
      'policy = "write" denied_parameters = { baz = [] } required_parameters = ["baz"]',
      'policy = "write" denied_parameters = { zip = [] }',
      {
        denied: new Map([
          ['baz', []],
          ['zip', []],
        ]),
        required: ['baz'],
        allowed: undefined,
      },
    ],
    [
      'wrapping TTLs',
      'max_wrapping_ttl = 300 min_wrapping_ttl = 100 allowed_parameters = { foo = [] } required_parameters = ["foo"]',
      'max_wrapping_ttl = 200 min_wrapping_ttl = 50 allowed_parameters = { bar = [] } required_parameters = ["bar"]',
      {
        maxWrappingTtl: 200,
        minWrappingTtl: 50,
        allowed: new Map([
          ['foo', []],
          ['bar', []],
        ]),
        required: ['foo', 'bar'],
      },
    ],
    [
      'a wrapping TTL on one side',
      'max_wrapping_ttl = 300',
      'min_wrapping_ttl = 50',
      { maxWrappingTtl: 300, minWrappingTtl: 50 },
    ],
    [
      'parameter names',
      'allowed_parameters = { test = [], test1 = ["foo"] }',
      'allowed_parameters = { "*" = [] }',
      {
        allowed: new Map<string, string[]>([
          ['test', []],
          ['test1', ['foo']],
          ['*', []],
        ]),
      },
    ],
    [
      'parameter values',
      'allowed_parameters = { test = [1, 2] }',
      'allowed_parameters = { test = [3, 4] }',
      { allowed: new Map([['test', [3, 4, 1, 2]]]) },
    ],
    [
      'an empty value list',
      'allowed_parameters = { empty = [] }',
      'allowed_parameters = { empty = [1] }',
      { allowed: new Map([['empty', []]]) },
    ],
  ])('has the merged rules of all blocks: %s', (_, first, second, expected) =>
    expect(merged(first, second)).toMatchObject(expected),
  )

  it('denies everything if the minimum wrapping TTL of one block exceeds the maximum of another', () => {
    const acl = aclOf('path "a" { policy = "read" min_wrapping_ttl = 300 }\npath "a" { max_wrapping_ttl = 100 }')
    for (const wrapTtl of [undefined, 50, 100, 200, 300, 400])
      expect(acl.decide({ operation: 'read', path: 'a', wrapTtl }).allowed).toBe(false)
  })

  it('is merged across policies of different namespaces if the full patterns are equal', () => {
    const acl = compileAcl([
      named('up', 'path "ns1/a" { capabilities = ["read"] }'),
      named('in', 'path "a" { capabilities = ["list"] }', 'ns1/'),
    ])
    expect(acl.capabilities('ns1/a')).toEqual(['list', 'read'])
  })
})

describe('the namespace of a policy', () => {
  it('is prepended to the patterns of the policy', () => {
    const acl = compileAcl([
      named('p', 'path "*" { capabilities = ["read"] }\npath "+/x" { capabilities = ["list"] }', 'ns1/ns2/'),
    ])
    expect(acl.capabilities('ns1/ns2/a')).toEqual(['read'])
    expect(acl.capabilities('ns1/ns2')).toEqual(['deny'])
    expect(acl.capabilities('a')).toEqual(['deny'])
    expect(acl.capabilities('ns1/ns2/b/x')).toEqual(['list'])
    expect(acl.capabilities('b/x')).toEqual(['deny'])
  })

  it.each(['ns1', '/', '/ns1/', '+/', 'a/+/b/'])(
    'must end in a slash, not begin with one, and contain no wildcards: %s',
    (namespace) => expect(() => compileAcl([named('p', '', namespace)])).toThrow(TypeError),
  )
})

describe('templates in policy patterns', () => {
  const identity: TemplateIdentity = {
    entity: {
      id: 'e-1',
      name: 'ann',
      metadata: { team: 'blue', 'a.b': 'dotted', slash: 'x/y', star: '*', plus: 'a+', empty: '' },
      aliases: { kube_1: { id: 'a-1', name: 'sa', metadata: { ns: 'web' }, custom_metadata: { tier: 'gold' } } },
    },
    groups: [{ id: 'g-1', name: 'ops', metadata: { floor: '3' } }],
  }
  it.each<[string, string]>([
    ['identity.entity.id', 'e-1'],
    [' identity.entity.name ', 'ann'],
    ['identity.entity.metadata.team', 'blue'],
    ['identity.entity.metadata.a.b', 'dotted'],
    ['identity.entity.aliases.kube_1.id', 'a-1'],
    ['identity.entity.aliases.kube_1.name', 'sa'],
    ['identity.entity.aliases.kube_1.metadata.ns', 'web'],
    ['identity.entity.aliases.kube_1.custom_metadata.tier', 'gold'],
    ['identity.groups.ids.g-1.name', 'ops'],
    ['identity.groups.ids.g-1.metadata.floor', '3'],
    ['identity.groups.names.ops.id', 'g-1'],
    ['identity.groups.names.ops.metadata.floor', '3'],
  ])('replace {{%s}} with %s', (name, value) => {
    const acl = aclOf(`path "kv/{{${name}}}/*" { capabilities = ["read"] }`, identity)
    expect(runToEnd(acl.resultant())).toEqual({
      root: false,
      exact_paths: {},
      glob_paths: { [`kv/${value}/`]: { capabilities: ['read'] } },
    })
  })

  it.each([
    'no.such.thing',
    '',
    'identity.entity',
    'identity.entity.',
    'identity.entity.nothing',
    'identity.entity.metadata',
    'identity.entity.metadata.none',
    'identity.entity.metadata.toString',
    'identity.entity.metadata.slash',
    'identity.entity.metadata.star',
    'identity.entity.metadata.plus',
    'identity.entity.metadata.empty',
    'identity.entity.custom_metadata.x',
    'identity.entity.aliases.none.id',
    'identity.entity.aliases.constructor.name',
    'identity.entity.aliases.kube_1',
    'identity.entity.aliases.kube_1.custom_metadata.none',
    'identity.groups.ids.g-2.name',
    'identity.groups.ids.g-1.id',
    'identity.groups.names.ops.name',
    'identity.groups.names.none.id',
    'identity.groups.ids.g-1',
  ])('drop a block with an unresolvable {{%s}} and keep the other blocks', (name) => {
    const acl = aclOf(`path "kv/{{${name}}}*" { policy = "sudo" }\npath "kv/plain" { capabilities = ["read"] }`, identity)
    expect(runToEnd(acl.resultant())).toEqual({
      root: false,
      exact_paths: { 'kv/plain': { capabilities: ['read'] } },
      glob_paths: {},
    })
  })

  const UNUSABLE = ['slash', 'star', 'plus', 'empty'] as const
  const TAKING_AWAY = [
    'capabilities = ["deny"]',
    'capabilities = ["read", "deny"]',
    'policy = "deny"',
    'capabilities = ["read"]\ndenied_parameters = { "a" = [] }',
    'capabilities = ["read"]\nallowed_parameters = { "a" = [] }',
    'capabilities = ["read"]\nrequired_parameters = ["a"]',
    'capabilities = ["read"]\nmin_wrapping_ttl = "1s"',
  ]
  describe.each(TAKING_AWAY)('a templated block with the restriction %j', (terms) => {
    it.each(UNUSABLE)('denies all paths if metadata.%s has an unusable value', (key) => {
      const otherPolicy = named('other', 'path "kv/*" { capabilities = ["create", "read", "update", "list", "sudo"] }')
      const block = named('app', `path "kv/{{identity.entity.metadata.${key}}}/*" { ${terms} }`)
      const acl = compileAcl([otherPolicy, block], identity)
      expect(acl.capabilities('kv/x/y/z')).toEqual(['deny'])
      expect(acl.capabilities('kv/else')).toEqual(['deny'])
      expect(runToEnd(acl.resultant())).toEqual({ root: false, exact_paths: {}, glob_paths: {} })
      expect(acl.explain({ operation: 'read', path: 'kv/else' })).toMatchObject({
        allowed: false,
        reason: expect.stringContaining(
          `the template in the pattern "kv/{{identity.entity.metadata.${key}}}/*" of policy "app" cannot be filled in`,
        ),
      })
    })

    it('is ignored if the entity lacks the value', () => {
      const otherPolicy = named('other', 'path "kv/*" { capabilities = ["read"] }')
      const block = named('app', `path "kv/{{identity.entity.metadata.none}}/*" { ${terms} }`)
      expect(compileAcl([otherPolicy, block], identity).capabilities('kv/else')).toEqual(['read'])
    })
  })

  it('deny all paths if a denying pattern becomes longer than the maximum path', () => {
    const long = { entity: { id: 'e', name: 'n'.repeat(4097), metadata: {}, aliases: {} } }
    const text = 'path "kv/*" { policy = "read" }\npath "kv/{{identity.entity.name}}" { policy = "deny" }'
    expect(aclOf(text, long).capabilities('kv/x')).toEqual(['deny'])
  })

  it('match no path without an entity', () => {
    const text = 'path "kv/by-name/{{identity.entity.name}}" { policy = "read" }'
    for (const identity of [undefined, { entity: undefined }, { entity: undefined, groups: [] }])
      expect(aclOf(text, identity).capabilities('kv/by-name/')).toEqual(['deny'])
  })

  it('are not expanded again in the values that replace them', () => {
    const tricky = { entity: { id: '{{identity.entity.name}}', name: 'ann', metadata: {}, aliases: {} } }
    expect(aclOf('path "kv/{{identity.entity.id}}" { policy = "read" }', tricky).capabilities('kv/ann')).toEqual(['deny'])
  })

  it('restrict the default policy to the identity of the caller', () => {
    const acl = aclOf(DEFAULT_POLICY_TEXT, identity)
    expect(acl.capabilities('identity/entity/id/e-1')).toEqual(['read'])
    expect(acl.capabilities('identity/entity/id/e-2')).toEqual(['deny'])
    expect(aclOf(DEFAULT_POLICY_TEXT).capabilities('identity/entity/id/')).toEqual(['deny'])
  })
})

describe('Acl.capabilities', () => {
  const acl = aclOf(`
    path "kv1/mine/*" { capabilities = ["update", "read", "create"] }
    path "kv1/mine/not" { capabilities = ["deny"] }
    path "kv1/dir/" { capabilities = ["list"] }
    path "kv1/x" { capabilities = ["sudo", "read"] }
    path "kv1/none" {}
  `)
  it.each<[string, string[]]>([
    ['kv1/mine/a', ['create', 'read', 'update']],
    ['kv1/mine/not', ['deny']],
    ['kv1/other', ['deny']],
    ['kv1/dir', ['deny']],
    ['kv1/dir/', ['list']],
    ['kv1/x', ['read', 'sudo']],
    ['kv1/x/', ['read', 'sudo']],
    ['/kv1/x', ['read', 'sudo']],
    ['//kv1/x', ['deny']],
    ['kv1/none', ['deny']],
    ['', ['deny']],
    ['/', ['deny']],
  ])('returns the capabilities on %j', (path, names) => expect(acl.capabilities(path)).toEqual(names))
})

describe('the root ACL', () => {
  it('allows everything', () => {
    for (const operation of ['read', 'header', 'list', 'help'] as const)
      expect(ROOT_ACL.decide({ operation, path: 'any/thing' })).toEqual({ allowed: true, sudo: true })
    expect(ROOT_ACL.capabilities('any')).toEqual(['root'])
    expect(runToEnd(ROOT_ACL.reaches('any/'))).toBe(true)
    expect(runToEnd(ROOT_ACL.resultant())).toEqual({ root: true })
    expect(ROOT_ACL.explain({ operation: 'read', path: 'any' })).toMatchObject({ allowed: true, sudo: true, root: true })
  })

  it('is not what a policy called root compiles to', () =>
    expect(compileAcl([named('root', '')]).decide({ operation: 'read', path: 'a' }).allowed).toBe(false))
})

describe('Acl.reaches', () => {
  it.each<[string, string, boolean]>([
    ['path "closed/sub/*" { capabilities = ["read"] }', 'closed/', true],
    ['path "closed/sub/*" { capabilities = ["read"] }', 'closed/sub/x/', true],
    ['path "closed/sub/*" { capabilities = ["read"] }', 'close', true],
    ['path "closed/sub/*" { capabilities = ["read"] }', 'closed/other/', false],
    ['path "closed/sub/*" { capabilities = ["read"] }', 'open/', false],
    ['path "crypt/encrypt/k" { capabilities = ["update"] }', 'crypt/', true],
    ['path "crypt/encrypt/k" { capabilities = ["update"] }', 'crypt/encrypt/k', true],
    ['path "crypt/encrypt/k" { capabilities = ["update"] }', 'crypt/encrypt/k/x', false],
    ['path "crypt/encrypt/k" {}', 'crypt/', false],
    ['path "crypt" { capabilities = ["list"] }', 'crypt/', true],
    ['path "crypt/*" { capabilities = ["deny"] }', 'crypt/', false],
    ['path "*" { capabilities = ["read"] }', 'crypt/', true],
    ['path "*" { capabilities = ["read"] } path "crypt/*" { policy = "deny" }', 'crypt/', false],
    ['path "*" { policy = "deny" } path "crypt/*" { capabilities = ["list"] }', 'crypt/', true],
    ['path "*" { capabilities = ["read"] } path "crypt*" { policy = "deny" }', 'crypt/', false],
    [
      'path "*" { capabilities = ["read"] } path "crypt/*" { policy = "deny" } path "crypt/a/b" { policy = "read" }',
      'crypt/',
      true,
    ],
    ['path "*" { capabilities = ["read"] } path "crypt/" { policy = "deny" }', 'crypt/', true],
    ['path "+/config" { capabilities = ["read"] }', 'crypt/', true],
    ['path "+/config" { capabilities = ["read"] }', 'a/b/', false],
    ['path "+/config" { capabilities = ["read"] } path "crypt/*" { policy = "deny" }', 'crypt/', false],
    ['path "crypt/+/config" { capabilities = ["read"] } path "crypt/*" { policy = "deny" }', 'crypt/', true],
    ['path "crypt/+/*" { capabilities = ["read"] } path "crypt/*" { policy = "deny" }', 'crypt/', false],
    ['path "crypt/+/config" { capabilities = ["read"] }', 'crypt/a/', true],
    ['path "crypt/+/config" { capabilities = ["read"] }', 'crypt/a/con', true],
    ['path "crypt/+/config" { capabilities = ["read"] }', 'crypt/a/cox', false],
    ['path "+/+/a*" { capabilities = ["read"] }', 'x/y/ab/', true],
    ['path "+/+/a*" { capabilities = ["read"] }', 'x/y/b/', false],
    ['', 'x/', false],
    ['path "a" { capabilities = ["read"] }', '', true],
  ])('for policy %s and prefix %j returns %s', (text, prefix, reached) =>
    expect(runToEnd(aclOf(text).reaches(prefix))).toBe(reached),
  )
})

describe('Acl.resultant', () => {
  it('returns the merged exact and glob rules of all policies, but no segment wildcards', () => {
    const acl = compileAcl([
      named('a', 'path "x" { capabilities = ["read"] } path "y/*" { capabilities = ["list"] } path "+/z" { policy = "read" }'),
      named('b', 'path "x" { policy = "deny" } path "y/*" { capabilities = ["create"] } path "__proto__" {}', ''),
    ])
    expect(runToEnd(acl.resultant())).toEqual({
      root: false,
      exact_paths: JSON.parse('{"x":{"capabilities":["deny"]},"__proto__":{"capabilities":["deny"]}}'),
      glob_paths: { 'y/': { capabilities: ['create', 'list'] } },
    })
  })
})

describe('Acl.explain', () => {
  const acl = compileAcl([
    named(
      'app',
      'path "secret/*" { capabilities = ["read"] denied_parameters = { "x" = [] } }\npath "+/team/*" { policy = "read" }',
    ),
    named(
      'ops',
      `path "secret/*" { capabilities = ["update"] }
       path "secret/team/a" { policy = "deny" }
       path "wrapped" { policy = "read" min_wrapping_ttl = 60 }`,
    ),
    named('empty', 'path "nothing" {}'),
  ])
  it.each<[AclRequest, boolean, string]>([
    [{ operation: 'read', path: 'other' }, false, 'no rule matches'],
    [{ operation: 'help', path: 'other' }, true, 'every caller may request help'],
    [{ operation: 'read', path: 'secret/a' }, true, 'rule "secret/*" of policies "app", "ops" grants "read"'],
    [{ operation: 'list', path: 'secret/a/' }, false, 'rule "secret/*" of policies "app", "ops" lacks "list"'],
    [{ operation: 'header', path: 'secret/a' }, false, 'only root may use HEAD'],
    [{ operation: 'read', path: 'secret/team/a' }, false, 'rule "secret/team/a" of policy "ops" denies everything'],
    [{ operation: 'read', path: 'nothing' }, false, 'rule "nothing" of policy "empty" grants nothing'],
    [
      { operation: 'update', path: 'secret/a', parameters: { X: 'hidden' } },
      false,
      'parameter "X" is denied by rule "secret/*" of policies "app", "ops"',
    ],
    [{ operation: 'read', path: 'wrapped' }, false, 'a wrapped answer is required by rule "wrapped" of policy "ops"'],
    [
      { operation: 'read', path: 'wrapped', wrapTtl: 59 },
      false,
      'a wrapping TTL of at least 60 seconds is required by rule "wrapped" of policy "ops"',
    ],
    [{ operation: 'read', path: 'wrapped', wrapTtl: 60 }, true, 'rule "wrapped" of policy "ops" grants "read"'],
  ])('explains %o: allowed %s, %s', (request, allowed, reason) => {
    expect(acl.explain(request)).toMatchObject({ allowed, sudo: false, root: false, reason })
    expect(acl.decide(request).allowed).toBe(allowed)
  })

  it('ranks exact rules above wildcards, and for a list a pattern with a trailing slash above the same pattern without it', () => {
    const lists = aclOf('path "kv/both/" {} path "kv/both" {} path "kv/both/*" {} path "kv/*" {} path "+/both" {}')
    expect(lists.explain({ operation: 'list', path: 'kv/both/' }).rule).toMatchObject({
      pattern: 'kv/both/',
      over: ['kv/both', 'kv/both/*', 'kv/*', '+/both'],
    })
  })

  it('returns the deciding rule and the patterns that it outranks', () => {
    expect(acl.explain({ operation: 'read', path: 'secret/team/a' }).rule).toEqual({
      pattern: 'secret/team/a',
      policies: ['ops'],
      capabilities: ['deny'],
      kind: 'exact',
      over: ['secret/*', '+/team/*'],
    })
    expect(acl.explain({ operation: 'read', path: 'x/team/b' }).rule).toMatchObject({ kind: 'segment wildcard', over: [] })
    expect(acl.explain({ operation: 'read', path: 'other' })).not.toHaveProperty('rule')
  })
})
