/**
 * Decisions of Vault, copied from its tests as data.
 */
import { describe, expect, it } from 'vitest'
import { WideObject } from '../../../../src/core/json/wide-object.ts'
import { type AclOperation, compileAcl, parsePolicy } from '../../../../src/core/policy/index.ts'

const aclOf = (...texts: string[]) =>
  compileAcl(texts.map((text, i) => ({ name: `p${i + 1}`, policy: parsePolicy(text), namespace: '' })))

const P1 = `
path "dev/*" { policy = "sudo" }
path "stage/*" { policy = "write" }
path "stage/aws/*" { policy = "read" capabilities = ["update", "sudo"] }
path "stage/aws/policy/*" { policy = "sudo" }
path "prod/*" { policy = "read" }
path "prod/aws/*" { policy = "deny" }
path "sys/*" { policy = "deny" }
path "foo/bar" { capabilities = ["read", "create", "sudo"] }
path "baz/quux" { capabilities = ["read", "create", "patch"] }
path "test/+/segment" { capabilities = ["read"] }
path "+/segment/at/front" { capabilities = ["read"] }
path "test/segment/at/end/+" { capabilities = ["read"] }
path "test/segment/at/end/v2/+/" { capabilities = ["read"] }
path "test/+/wildcard/+/*" { capabilities = ["read"] }
path "test/+/wildcardglob/+/end*" { capabilities = ["read"] }
path "1/2/*" { capabilities = ["create"] }
path "1/2/+" { capabilities = ["read"] }
path "1/2/+/+" { capabilities = ["update"] }
`
const P2 = `
path "dev/hide/*" { policy = "deny" }
path "stage/aws/policy/*" { policy = "deny" capabilities = ["read", "update", "sudo"] }
path "prod/*" { policy = "write" }
path "sys/seal" { policy = "sudo" }
path "foo/bar" { capabilities = ["deny"] }
path "baz/quux" { capabilities = ["deny"] }
`

type Row = readonly [AclOperation, string, allowed: boolean, sudo: boolean]

const SINGLE: readonly Row[] = [
  ['read', 'root', false, false],
  ['help', 'root', true, false],
  ['read', 'dev/foo', true, true],
  ['update', 'dev/foo', true, true],
  ['read', 'dev/hide/foo', true, true],
  ['update', 'dev/hide/foo', true, true],
  ['delete', 'stage/foo', true, false],
  ['list', 'stage/aws/foo', true, true],
  ['update', 'stage/aws/foo', true, true],
  ['update', 'stage/aws/policy/foo', true, true],
  ['delete', 'prod/foo', false, false],
  ['update', 'prod/foo', false, false],
  ['read', 'prod/foo', true, false],
  ['list', 'prod/foo', true, false],
  ['read', 'prod/aws/foo', false, false],
  ['read', 'sys/status', false, false],
  ['update', 'sys/seal', false, false],
  ['read', 'foo/bar', true, true],
  ['create', 'foo/bar', true, true],
  ['list', 'foo/bar', false, true],
  ['update', 'foo/bar', false, true],
  ['header', 'foo/bar', false, true],
  ['header', 'stage/foo', false, false],
  ['read', 'baz/quux', true, false],
  ['create', 'baz/quux', true, false],
  ['patch', 'baz/quux', true, false],
  ['list', 'baz/quux', false, false],
  ['update', 'baz/quux', false, false],
]

const LAYERED: readonly Row[] = [
  ['read', 'root', false, false],
  ['help', 'root', true, false],
  ['read', 'dev/foo', true, true],
  ['update', 'dev/foo', true, true],
  ['read', 'dev/hide/foo', false, false],
  ['update', 'dev/hide/foo', false, false],
  ['delete', 'stage/foo', true, false],
  ['list', 'stage/aws/foo', true, true],
  ['update', 'stage/aws/foo', true, true],
  ['update', 'stage/aws/policy/foo', false, false],
  ['delete', 'prod/foo', true, false],
  ['update', 'prod/foo', true, false],
  ['read', 'prod/foo', true, false],
  ['list', 'prod/foo', true, false],
  ['read', 'prod/aws/foo', false, false],
  ['read', 'sys/status', false, false],
  ['update', 'sys/seal', true, true],
  ...(['read', 'create', 'list', 'update'] as const).map((operation): Row => [operation, 'foo/bar', false, false]),
  ...(['read', 'create', 'patch', 'list', 'update'] as const).map((operation): Row => [operation, 'baz/quux', false, false]),
]

describe('decisions equal those of Vault', () => {
  const single = aclOf(P1)
  const layered = aclOf(P1, P2)
  it.each(SINGLE)('for policy P1: %s on %s: allowed %s, sudo %s', (operation, path, allowed, sudo) =>
    expect(single.decide({ operation, path })).toEqual({ allowed, sudo }),
  )
  it.each(LAYERED)('for policies P1 and P2: %s on %s: allowed %s, sudo %s', (operation, path, allowed, sudo) =>
    expect(layered.decide({ operation, path })).toEqual({ allowed, sudo }),
  )

  it.each<[string, string[], string[]]>([
    ['root', ['deny'], ['deny']],
    ['dev/foo', ['create', 'delete', 'list', 'read', 'sudo', 'update'], ['create', 'delete', 'list', 'read', 'sudo', 'update']],
    ['dev/hide/foo', ['create', 'delete', 'list', 'read', 'sudo', 'update'], ['deny']],
    ['stage/foo', ['create', 'delete', 'list', 'read', 'update'], ['create', 'delete', 'list', 'read', 'update']],
    ['stage/aws/foo', ['list', 'read', 'sudo', 'update'], ['list', 'read', 'sudo', 'update']],
    ['stage/aws/policy/foo', ['create', 'delete', 'list', 'read', 'sudo', 'update'], ['deny']],
    ['prod/foo', ['list', 'read'], ['create', 'delete', 'list', 'read', 'update']],
    ['prod/aws/foo', ['deny'], ['deny']],
    ['sys/status', ['deny'], ['deny']],
    ['sys/seal', ['deny'], ['create', 'delete', 'list', 'read', 'sudo', 'update']],
    ['foo/bar', ['create', 'read', 'sudo'], ['deny']],
    ['foo/bar/baz', ['deny'], ['deny']],
    ['baz/quux', ['create', 'patch', 'read'], ['deny']],
  ])('for the capabilities on %s', (path, first, two) => {
    expect(single.capabilities(path)).toEqual(first)
    expect(layered.capabilities(path)).toEqual(two)
  })
})

describe('segment wildcards as in Vault', () => {
  const acl = aclOf(P1)
  it.each<[AclOperation, string, boolean]>([
    ['read', 'test/foo/bar/segment', false],
    ['read', 'test/foo/segment', true],
    ['read', 'test/bar/segment', true],
    ['read', 'test/segment/at/frond', false],
    ['read', 'test/segment/at/front', true],
    ['read', 'x/segment/at/front', true],
    ['read', 'test/segment/at/end/foo', true],
    ['read', 'test/segment/at/end/foo/', false],
    ['read', 'test/segment/at/end/v2/foo/', true],
    ['read', 'test/segment/wildcard/at/foo/', true],
    ['read', 'test/segment/wildcard/at/end', true],
    ['read', 'test/segment/wildcard/at/end/', true],
    ['read', 'test/segment/wildcardglob/at/ending', true],
    ['read', 'test/segment/wildcardglob/at/ending/on', true],
    ['read', 'test/segment/wildcardglob/at/start', false],
    ['read', '1/2/3/4', false],
    ['read', '1/2/3', true],
    ['update', '1/2/3', false],
    ['update', '1/2/3/4', true],
    ['create', '1/2/3/4/5', true],
  ])('determine whether %s is allowed on %s: %s', (operation, path, allowed) =>
    expect(acl.decide({ operation, path }).allowed).toBe(allowed),
  )

  it.each<[string, string[]]>([
    // Capabilities include those of a list, so the path without the slash counts too.
    ['test/segment/at/end/foo/', ['read']],
    ['1/2', ['deny']],
    ['1/2/', ['read']],
    ['1/2/3/4', ['update']],
    ['1/2/3/4/5', ['create']],
  ])('grant the capabilities that Vault grants on %s', (path, names) => expect(acl.capabilities(path)).toEqual(names))
})

describe('pattern priority as in Vault', () => {
  it.each<[string, string, string]>([
    ['*', '+/*', 'foo/bar/bar/baz'],
    ['foo/+/*', '+/*', 'foo/bar/bar/baz'],
    ['foo/+/bar/baz', 'foo/+/+/*', 'foo/bar/bar/baz'],
    ['foo/+/bar/baz', 'foo/+/+/baz', 'foo/bar/bar/baz'],
    ['foo/(ar/+/baz', 'foo/+/(ar/baz', 'foo/(ar/(ar/baz'],
    ['foo/bar/+/baz', 'foo/bar/+/baz*', 'foo/bar/bar/baz'],
    ['foo/bar/+/ba*', 'foo/bar/+/b*', 'foo/bar/bar/baz'],
    ['foo/bar/*', 'foo/*', 'foo/bar/bar/baz'],
    ['foo/bar/bar/baz', 'foo/bar/bar/baz*', 'foo/bar/bar/baz'],
    ['foo/bar/b*', 'foo/bar/+/baz', 'foo/bar/bar/baz'],
    ['foo/bar/bar/ba*', 'foo/bar/+/baz', 'foo/bar/bar/baz'],
    ['foo/+', 'foo/*', 'foo/bar'],
    ['foo/*', 'foo/+/*', 'foo/bar/baz'],
    ['foo/+/b/+', 'foo/+/+/b', 'foo/x/b/b'],
    // A literal plus sign still counts as the position of the first wildcard.
    ['a+b*', 'a+b/+', 'a+b/c'],
    ['a+b/x/+', 'a+b/+/c', 'a+b/x/c'],
    ['a/+b*', 'a/*', 'a/+bc'],
    ['a/+b', 'a/+b*', 'a/+b'],
    ['a/+bc*', 'a/+bc', 'a/+bcd'],
  ])('ranks %s above %s for path %s', (winner, loser, path) => {
    for (const order of [
      [winner, loser],
      [loser, winner],
    ]) {
      const blocks = order.map((pattern) => `path "${pattern}" { capabilities = ["${pattern === winner ? 'read' : 'create'}"] }`)
      expect(aclOf(blocks.join('\n')).capabilities(path)).toEqual(['read'])
    }
  })
})

describe('parameter rules as in Vault', () => {
  const write = (terms: string): string => `policy = "write"\n${terms}`
  const RULES: Readonly<Record<string, string>> = {
    'dev/*': 'allowed_parameters = { "zip" = [] }',
    'foo/bar': 'denied_parameters = { "zap" = [] }\nmin_wrapping_ttl = 300\nmax_wrapping_ttl = 400',
    'foo/baz': 'allowed_parameters = { "hello" = [] }\ndenied_parameters = { "zap" = [] }\nmin_wrapping_ttl = 300',
    'working/phone': 'max_wrapping_ttl = 400',
    'broken/phone': 'allowed_parameters = { "steve" = [] }\ndenied_parameters = { "steve" = [] }',
    'hello/world': 'allowed_parameters = { "*" = [] }\ndenied_parameters = { "*" = [] }',
    'tree/fort': 'allowed_parameters = { "*" = [] }\ndenied_parameters = { "foo" = [] }',
    'fruit/apple': 'allowed_parameters = { "pear" = [] }\ndenied_parameters = { "*" = [] }',
    'cold/weather': 'allowed_parameters = {}\ndenied_parameters = {}',
    'var/aws': 'allowed_parameters = { "*" = [] }\ndenied_parameters = { "soft" = [], "warm" = [], "kitty" = [] }',
    'var/req': 'required_parameters = ["foo"]',
  }
  const acl = aclOf(
    Object.entries(RULES)
      .map(([pattern, terms]) => `path "${pattern}" { ${write(terms)} }`)
      .join('\n'),
  )

  it.each<[string, string[], number | undefined, boolean]>([
    ['dev/ops', ['zip'], undefined, true],
    ['dev/ops', ['zap'], undefined, false],
    ['foo/bar', ['zap'], undefined, false],
    ['foo/bar', ['zip'], undefined, false],
    ['foo/bar', ['zip'], 50, false],
    ['foo/bar', ['zip'], 450, false],
    ['foo/bar', ['zip'], 350, true],
    ['foo/bar', ['zip'], 300, true],
    ['foo/bar', ['zip'], 400, true],
    ['foo/baz', ['hello'], undefined, false],
    ['foo/baz', ['hello'], 50, false],
    ['foo/baz', ['hello'], 450, true],
    ['foo/baz', ['zap'], undefined, false],
    ['foo/baz', ['zap'], 450, false],
    ['working/phone', [''], undefined, false],
    ['working/phone', [''], 0, false],
    ['working/phone', [''], 450, false],
    ['working/phone', [''], 350, true],
    ['broken/phone', ['steve'], undefined, false],
    ['hello/world', ['one'], undefined, false],
    ['tree/fort', ['one'], undefined, true],
    ['tree/fort', ['foo'], undefined, false],
    ['fruit/apple', ['pear'], undefined, false],
    ['fruit/apple', ['one'], undefined, false],
    ['cold/weather', ['four'], undefined, true],
    ['var/aws', ['cold', 'warm', 'kitty'], undefined, false],
    ['var/req', ['cold', 'warm', 'kitty'], undefined, false],
    ['var/req', ['cold', 'warm', 'kitty', 'foo'], undefined, true],
    ['var/req', ['FOO'], undefined, false],
    ['var/req', [], undefined, false],
    ['hello/world', [], undefined, true],
    ['fruit/apple', [], undefined, true],
  ])('determine whether a write to %s with parameters %j and wrap TTL %s is allowed: %s', (path, names, wrapTtl, allowed) => {
    const parameters = Object.fromEntries(names.map((name) => [name, '']))
    for (const operation of ['create', 'update'] as const) {
      expect(acl.decide({ operation, path, parameters, wrapTtl }).allowed).toBe(allowed)
      expect(acl.decide({ operation, path, parameters: new WideObject([parameters]), wrapTtl }).allowed).toBe(allowed)
    }
  })

  it('apply to read, but not to list and delete', () => {
    const parameters = { one: '' }
    expect(acl.decide({ operation: 'list', path: 'hello/world', parameters }).allowed).toBe(true)
    expect(acl.decide({ operation: 'delete', path: 'hello/world', parameters }).allowed).toBe(true)
    expect(acl.decide({ operation: 'read', path: 'hello/world', parameters }).allowed).toBe(false)
  })
})

describe('parameter value rules as in Vault', () => {
  const acl = aclOf(`
    path "dev/*" { policy = "write" allowed_parameters = { "allow" = ["good"] } }
    path "foo/bar" { policy = "write" denied_parameters = { "deny" = ["bad*"] } }
    path "foo/baz" { policy = "write" allowed_parameters = { "ALLOW" = ["good"] } denied_parameters = { "dEny" = ["bad"] } }
    path "fizz/buzz" {
      policy = "write"
      allowed_parameters = { "allow_multi" = ["good", "good1", "good2", "*good3"] "allow" = ["good"] }
      denied_parameters = { "deny_multi" = ["bad", "bad1", "bad2"] }
    }
    path "test/types" {
      policy = "write"
      allowed_parameters = { "map" = [{ "good" = "one" }], "int" = [1, 2], "bool" = [false] }
    }
    path "test/star" { policy = "write" allowed_parameters = { "*" = [] "foo" = [] "bar" = [false] } }
    path "test/more" {
      policy = "write"
      allowed_parameters = {
        "inner" = ["*mid*"], "any" = ["*"], "big" = [9007199254740993, 0x10], "list" = [[1, "a*"]], "float" = [1.5], "text" = ["1"],
        "empty" = [{}]
      }
    }
  `)
  it.each<[string, Readonly<Record<string, unknown>>, boolean]>([
    ['dev/ops', { allow: 'good' }, true],
    ['dev/ops', { allow: 'bad' }, false],
    ['foo/bar', { deny: 'bad' }, false],
    ['foo/bar', { deny: 'bad glob' }, false],
    ['foo/bar', { deny: 'good' }, true],
    ['foo/bar', { allow: 'good' }, true],
    ['foo/bar', { deny: null }, true],
    ['foo/bar', { deny: 5 }, true],
    ['foo/baz', { aLLow: 'good' }, true],
    ['foo/baz', { deny: 'bad' }, false],
    ['foo/baz', { deny: 'good' }, false],
    ['foo/baz', { allow: 'good', deny: 'bad' }, false],
    ['foo/baz', { aLLow: 'bad' }, false],
    ['foo/baz', { Neither: 'bad' }, false],
    ['foo/baz', { allow: null }, false],
    ['fizz/buzz', { allow_multi: 'good' }, true],
    ['fizz/buzz', { allow_multi: 'good1' }, true],
    ['fizz/buzz', { allow_multi: 'good2' }, true],
    ['fizz/buzz', { allow_multi: 'glob good3' }, true],
    ['fizz/buzz', { allow_multi: 'glob good2' }, false],
    ['fizz/buzz', { allow_multi: 'bad' }, false],
    ['fizz/buzz', { allow_multi: 'good1', allow: 'good' }, true],
    ['fizz/buzz', { deny_multi: 'bad2' }, false],
    ['fizz/buzz', { deny_multi: 'good', allow_multi: 'good2' }, false],
    ['test/types', { map: { good: 'one' } }, true],
    ['test/types', { map: { bad: 'one' } }, false],
    ['test/types', { map: { good: 'one', more: 1 } }, false],
    ['test/types', { map: {} }, false],
    ['test/types', { map: ['one'] }, false],
    ['test/types', { int: 1 }, true],
    ['test/types', { int: 1n }, true],
    ['test/types', { int: '1' }, false],
    ['test/types', { int: 3 }, false],
    ['test/types', { int: Number.NaN }, false],
    ['test/types', { bool: false }, true],
    ['test/types', { bool: 'false' }, false],
    ['test/types', { bool: true }, false],
    ['test/star', { anything: true }, true],
    ['test/star', { foo: true }, true],
    ['test/star', { bar: false }, true],
    ['test/star', { bar: true }, false],
    ['test/more', { inner: 'a mid b' }, true],
    ['test/more', { inner: 'mi d' }, false],
    ['test/more', { any: 'thing' }, false],
    ['test/more', { any: '*' }, true],
    ['test/more', { any: 1 }, false],
    ['test/more', { big: 9_007_199_254_740_993n }, true],
    ['test/more', { big: 9_007_199_254_740_992 }, false],
    ['test/more', { big: 16 }, true],
    ['test/more', { list: [1, 'a*'] }, true],
    // A star in a nested string is literal.
    ['test/more', { list: [1, 'ab'] }, false],
    ['test/more', { list: [1] }, false],
    ['test/more', { list: [1, 'a*', 2] }, false],
    ['test/more', { empty: {} }, true],
    ['test/more', { empty: [] }, false],
    ['test/more', { float: 1.5 }, true],
    ['test/more', { text: 1 }, false],
  ])('determine whether an update of %s with %o is allowed: %s', (path, parameters, allowed) => {
    expect(acl.decide({ operation: 'update', path, parameters }).allowed).toBe(allowed)
    expect(acl.decide({ operation: 'update', path, parameters: new WideObject([{}, { ...parameters }]) }).allowed).toBe(allowed)
  })
})

describe('LIST and trailing slashes as in Vault', () => {
  const acl = aclOf(`
    path "foo/metadata/*" { capabilities = ["list", "scan"] }
    path "foo/metadata/private/*" { capabilities = ["deny"] }
    path "foo/metadata/private/granted/*" { capabilities = ["list", "scan"] }
    path "kv1/listed" { capabilities = ["list"] }
    path "kv1/both" { capabilities = ["list"] }
    path "kv1/both/" { capabilities = ["deny"] }
    path "seg/+" { capabilities = ["list"] }
    path "seg/a*" { capabilities = ["deny"] }
    path "seg/end/+" { capabilities = ["read"] }
  `)
  it.each<[string, boolean]>([
    ['foo/', false],
    ['foo/metadata/', true],
    ['foo/metadata/test/', true],
    // A rule for the paths below a folder also covers the folder (GHSA-xp3c-3jw3-4vcr).
    ['foo/metadata/private/', false],
    ['foo/metadata/private/internal/', false],
    ['foo/metadata/private/granted/', true],
    ['foo/metadata/private/granted/test/', true],
    ['kv1/listed/', true],
    ['kv1/listed', true],
    ['kv1/listed//', false],
    ['kv1/both/', false],
    ['seg/x/', true],
    ['seg/end/', false],
    ['seg/ax/', false],
  ])('determine whether LIST %s is allowed: %s', (path, allowed) =>
    expect(acl.decide({ operation: 'list', path }).allowed).toBe(allowed),
  )

  it('match a path with a trailing slash only if the operation is a list', () =>
    expect(aclOf('path "kv1/exact" { policy = "write" }').decide({ operation: 'read', path: 'kv1/exact/' }).allowed).toBe(false))
})
