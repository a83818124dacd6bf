import { describe, expect, it } from 'vitest'
import { KernelError } from '../../../../src/core/base/errors.ts'
import { CAPABILITY_BITS, capabilityNames } from '../../../../src/core/policy/capability.ts'
import {
  DEFAULT_POLICY_TEXT,
  MAX_POLICY_BYTES,
  parsePolicy,
  RESPONSE_WRAPPING_POLICY_TEXT,
} from '../../../../src/core/policy/index.ts'

const one = (text: string) => {
  const { rules } = parsePolicy(text)
  expect(rules).toHaveLength(1)
  return rules[0]!
}

const refusal = (text: string): KernelError => {
  try {
    parsePolicy(text)
  } catch (error) {
    expect(error).toBeInstanceOf(KernelError)
    expect(error).toMatchObject({ status: 400, message: expect.stringMatching(/^failed to parse policy: /) })
    return error as KernelError
  }
  throw new Error(`was not refused: ${text.slice(0, 200)}`)
}

describe('a policy in HCL and in JSON', () => {
  const pairs: readonly (readonly [name: string, hcl: string, json: string])[] = [
    ['a path', 'path "a" { capabilities = ["read", "list"] }', '{"path":{"a":{"capabilities":["read","list"]}}}'],
    ['no paths', '', '{}'],
    ['a name', 'name = "x"\npath "a" { policy = "read" }', '{"name":"x","path":{"a":{"policy":"read"}}}'],
    [
      'several paths',
      'path "b" { policy = "read" }\npath "a" { policy = "write" }',
      '{"path":{"b":{"policy":"read"},"a":{"policy":"write"}}}',
    ],
    ['a list of objects', 'path "b" {}\npath "a" {}', '{"path":[{"b":{}},{"a":{}}]}'],
    [
      'a path that is given twice',
      'path "a" { policy = "read" }\npath "a" { policy = "deny" }',
      '{"path":{"a":{"policy":"read"},"a":{"policy":"deny"}}}',
    ],
    ['a path with a list of blocks', 'path "a" { policy = "read" }\npath "a" {}', '{"path":{"a":[{"policy":"read"},{}]}}'],
    ['a duplicate path member', 'path "a" {}\npath "b" {}', '{"path":{"a":{}},"path":{"b":{}}}'],
    [
      'parameters',
      'path "a" { allowed_parameters = { "X" = ["a", 1, -2.5e3, true, false, ["b", [1]], { "y" = 1 }], z = [] } }',
      '{"path":{"a":{"allowed_parameters":{"X":["a",1,-2.5e3,true,false,["b",[1]],{"y":1}],"z":[]}}}}',
    ],
    ['a block of parameters', 'path "a" { denied_parameters { b = [] } }', '{"path":{"a":{"denied_parameters":{"b":[]}}}}'],
    [
      'all other members',
      'path "a" { required_parameters = ["X", "x", "y"] min_wrapping_ttl = "1m" max_wrapping_ttl = 90 comment = "why" }',
      '{"path":{"a":{"required_parameters":["X","x","y"],"min_wrapping_ttl":"1m","max_wrapping_ttl":90,"comment":"why"}}}',
    ],
    ['escapes', 'path "a\\"\\\\\\t\\u00e9" {}', '{"path":{"a\\"\\\\\\t\\u00e9":{}}}'],
    [
      'large integers',
      'path "a" { denied_parameters = { b = [9007199254740993] } }',
      '{"path":{"a":{"denied_parameters":{"b":[9007199254740993]}}}}',
    ],
    [
      'a member named __proto__',
      'path "__proto__" { denied_parameters = { "__proto__" = [{ "__proto__" = 1 }] } }',
      '{"path":{"__proto__":{"denied_parameters":{"__proto__":[{"__proto__":1}]}}}}',
    ],
  ]
  it.each(pairs)('parses to the same rules: %s', (_, hcl, json) => expect(parsePolicy(json)).toEqual(parsePolicy(hcl)))

  it('keeps the types of booleans, numbers and lists in JSON', () => {
    const { denied } = one('{"path":{"a":{"denied_parameters":{"x":[false,1,["a",[2]]]}}}}')
    expect(denied).toEqual(new Map([['x', [false, 1, ['a', [2]]]]]))
  })
})

describe('HCL parsing', () => {
  it('accepts comments, trailing commas and quoted keys', () => {
    const { rules } = parsePolicy(`# first
path "kv1/doc/*" { // second
  capabilities = ["read", "list",]
}
/* third
   still */
path "kv1/doc/w" { /* here */ "capabilities" = [ # there
    "create",
    // and there
    "update" ]
  denied_parameters = { "forbidden" = [], "other" = ["x"] }
},
path "/kv1/+/old" { policy = "read" }\r\n`)
    expect(rules.map(({ pattern, capabilities }) => [pattern, capabilityNames(capabilities)])).toEqual([
      ['kv1/doc/*', ['list', 'read']],
      ['kv1/doc/w', ['create', 'update']],
      ['kv1/+/old', ['list', 'read']],
    ])
    expect(rules[1]?.denied).toEqual(
      new Map([
        ['forbidden', []],
        ['other', ['x']],
      ]),
    )
  })

  it.each<[string, string]>([
    ['"\\a\\b\\f\\n\\r\\t\\v\\\\\\""', '\x07\b\f\n\r\t\v\\"'],
    ['"\\x41\\101\\u0041\\U0001F511"', 'AAA\u{1F511}'],
    [`"$ $$ \${a.b} {"`, `$ $$ \${a.b} {`],
    ['<<EOF\none\n  two\\n\nEOF\n', 'one\n  two\\n\n'],
    ['<<EOF\nEOF\n', ''],
    ['<<-EOF\n    one\n      two\n    EOF\n', 'one\n  two\n'],
    ['<<-EOF\n  one\n    EOF\n', '  one\n'],
  ])('reads the string %j', (written, text) =>
    expect(one(`path "a" { denied_parameters = { x = [${written}] } }`).denied?.get('x')).toEqual([text]),
  )

  it.each<[string, number | bigint]>([
    ['0', 0],
    ['-17', -17],
    ['0x1F', 31],
    ['-0x10', -16],
    ['1.25', 1.25],
    ['1e3', 1000],
    ['18446744073709551616', 18_446_744_073_709_551_616n],
    ['-18446744073709551616', -18_446_744_073_709_551_616n],
    ['0xFFFFFFFFFFFFFFFFF', 0xfffffffffffffffffn],
  ])('reads the number %s', (written, value) =>
    expect(one(`path "a" { denied_parameters = { x = [${written}] } }`).denied?.get('x')).toEqual([value]),
  )
})

describe('parsed policy rules', () => {
  const { create, read, update, delete: remove, list, patch, sudo, deny } = CAPABILITY_BITS
  it.each<[string, number]>([
    [
      'capabilities = ["create", "read", "update", "delete", "list", "patch", "sudo"]',
      create | read | update | remove | list | patch | sudo,
    ],
    ['capabilities = ["read", "deny", "sudo"]', deny],
    ['capabilities = ["read", "scan", "subscribe", "recover"]', read],
    ['capabilities = []', 0],
    ['', 0],
    ['policy = "deny"', deny],
    ['comment = "a" policy = "deny" comment = ["b"]', deny],
    ['policy = "deny" capabilities = ["read"]', deny],
    ['policy = "read"', read | list],
    ['policy = "write"', create | read | update | remove | list],
    ['policy = "sudo"', create | read | update | remove | list | sudo],
    ['policy = "read" capabilities = ["update"]', read | list | update],
  ])('have the capabilities of the block %s', (block, capabilities) =>
    expect(one(`path "a" { ${block} }`).capabilities).toBe(capabilities),
  )

  it('have their parameter names in lower case without duplicates', () =>
    expect(one('path "a" { required_parameters = ["Foo", "foo"] allowed_parameters = { BAR = [] } }')).toMatchObject({
      required: [['foo']],
      allowed: new Map([['bar', []]]),
    }))

  it('do not restrict parameters if the parameter map is empty', () =>
    expect(one('path "a" { allowed_parameters = {} denied_parameters {} }')).toMatchObject({
      allowed: undefined,
      denied: undefined,
    }))

  it('have patterns from which one leading slash was removed, and know whether a pattern has templates', () => {
    expect(one('path "//a/*" {}')).toMatchObject({ pattern: '/a/*', templated: false })
    expect(one('path "/{{ identity.entity.id }}/{{x}}" {}')).toMatchObject({
      pattern: '{{ identity.entity.id }}/{{x}}',
      templated: true,
    })
  })

  it('are deeply frozen', () => {
    const policy = parsePolicy('path "a" { required_parameters = ["x"] denied_parameters = { y = [[1], { z = 1 }] } }')
    const values = policy.rules[0]?.denied?.get('y') as unknown[]
    for (const part of [
      policy,
      policy.rules,
      policy.rules[0],
      policy.rules[0]?.required,
      policy.rules[0]?.required[0],
      values,
      ...values,
    ])
      expect(Object.isFrozen(part)).toBe(true)
  })

  it('contain the documented paths if the policy is built-in', () => {
    const rows = (text: string) =>
      Object.fromEntries(parsePolicy(text).rules.map((rule) => [rule.pattern, capabilityNames(rule.capabilities)]))
    expect(rows(DEFAULT_POLICY_TEXT)).toEqual({
      'auth/token/lookup-self': ['read'],
      'auth/token/renew-self': ['update'],
      'auth/token/revoke-self': ['update'],
      'sys/capabilities-self': ['update'],
      'sys/internal/ui/resultant-acl': ['read'],
      'identity/entity/id/{{identity.entity.id}}': ['read'],
      'identity/entity/name/{{identity.entity.name}}': ['read'],
      'sys/renew': ['update'],
      'sys/leases/renew': ['update'],
      'sys/leases/lookup': ['update'],
      'cubbyhole/*': ['create', 'delete', 'list', 'read', 'update'],
      'sys/wrapping/wrap': ['update'],
      'sys/wrapping/lookup': ['update'],
      'sys/wrapping/unwrap': ['update'],
    })
    expect(rows(RESPONSE_WRAPPING_POLICY_TEXT)).toEqual({
      'cubbyhole/response': ['create', 'read'],
      'sys/wrapping/unwrap': ['update'],
    })
  })
})

describe('parsePolicy', () => {
  it.each<[string, string]>([
    ['path', 'unexpected end, a value is missing on line 1'],
    ['path "a" {', 'unexpected end, a closing brace is missing on line 1'],
    ['path "a" { capabilities = ["fly"] }', 'path "a": invalid capability "fly"'],
    ['path "a" { capabilities = ["READ"] }', 'path "a": invalid capability "READ"'],
    ['path "a" { capabilities = ["root"] }', 'path "a": invalid capability "root"'],
    ['path "a" { capabilities = ["constructor"] }', 'path "a": invalid capability "constructor"'],
    ['path "a" { capabilities = ["read }', 'a string that is not closed on line 1'],
    ['path "a" {\n capabilites = ["read"] }', 'path "a": invalid key "capabilites" on line 2'],
    ['path "a" { toString = 1 }', 'path "a": invalid key "toString" on line 1'],
    ['\n\nrule "a" { capabilities = ["read"] }', 'invalid key "rule" on line 3'],
    ['path "a/+*" { capabilities = ["read"] }', `path "a/+*": invalid use of wildcards ('+*' is forbidden)`],
    ['{"path": {"a": {"capabilities": ["fly"]}}}', 'path "a": invalid capability "fly"'],
    ['{"path": [', 'unexpected end on line 1'],
    ['{"paths": {}}', 'invalid key "paths" on line 1'],
    ['path "a" { capabilities = "read" }', 'path "a": capabilities must be a list of strings'],
    ['path "a" { capabilities = ["read" "list"] }', 'a comma or a closing bracket is missing on line 1'],
    ['path "a" { capabilities = ["read",, "list"] }', 'a value is missing on line 1'],
    ['path "a" { capabilities = [1] }', 'path "a": capabilities must be a list of strings'],
    ['{"path":{"a":{"capabilities":[null]}}}', 'path "a": capabilities must be a list of strings'],
    ['{"path":{"a":{"capabilities":null}}}', 'path "a": capabilities must be a list of strings'],
    ['{"path":{"a":{"allowed_parameters":{"x":[null]}}}}', 'path "a": allowed_parameters: null is not allowed'],
    ['{"path":{"a":{"allowed_parameters":{"x":[{"y":null}]}}}}', 'path "a": allowed_parameters: null is not allowed'],
    ['path "a" { capabilities = ["read"] capabilities = ["deny"] }', 'path "a": capabilities is given twice, on line 1'],
    ['path "a" { policy = "fly" }', 'path "a": invalid policy "fly"'],
    ['path "a" { policy = ["read"] }', 'path "a": policy must be a string'],
    [
      'path "a" { min_wrapping_ttl = "2h" max_wrapping_ttl = "1h" }',
      'path "a": max_wrapping_ttl cannot be less than min_wrapping_ttl',
    ],
    ['path "a" { max_wrapping_ttl = "soon" }', 'path "a": max_wrapping_ttl: a duration is'],
    ['path "a" { max_wrapping_ttl = "-1h" }', 'path "a": max_wrapping_ttl: a duration must not be negative'],
    ['path "a" { min_wrapping_ttl = -1 }', 'path "a": min_wrapping_ttl: a duration must not be negative'],
    ['path "a" { min_wrapping_ttl = true }', 'path "a": min_wrapping_ttl must be a number of seconds'],
    ['path "a" { allowed_parameters = ["x"] }', 'path "a": allowed_parameters must be a map of names to lists of values'],
    ['path "a" { allowed_parameters = { t = "a" } }', 'path "a": allowed_parameters: "t" must be a list of values'],
    ['path "a" { allowed_parameters = { t = [], T = [] } }', 'path "a": allowed_parameters: "t" is given twice'],
    ['path "a" { allowed_parameters "b" { t = [] } }', 'path "a": allowed_parameters takes no label, on line 1'],
    ['path "a" { required_parameters = "x" }', 'path "a": required_parameters must be a list of strings'],
    ['path "a" { mfa_methods = ["x"] }', 'path "a": invalid key "mfa_methods" on line 1'],
    ['path "a" { control_group = {} }', 'path "a": invalid key "control_group" on line 1'],
    ['path "a" { pagination_limit = 5 }', 'path "a": invalid key "pagination_limit" on line 1'],
    [
      'path "{{identity.entity.id" {}',
      'path "{{identity.entity.id": failed to validate policy templating: unbalanced templating characters',
    ],
    ['path "identity.entity.id}}" {}', 'path "identity.entity.id}}": failed to validate policy templating'],
    ['path "{{a}}b}}" {}', 'path "{{a}}b}}": failed to validate policy templating'],
    ['path "{{a{{b}}" {}', 'path "{{a{{b}}": failed to validate policy templating'],
    ['[]', 'a key, an equals sign or an opening brace is missing on line 1'],
    ['42', 'a key, an equals sign or an opening brace is missing on line 1'],
    ['"not a policy at all"', 'unexpected end, a value is missing on line 1'],
    ['path { capabilities = ["read"] }', '"path" must have exactly one pattern, on line 1'],
    ['path = { "a" = {} }', '"path" must have exactly one pattern, on line 1'],
    ['path "a" "b" { capabilities = ["read"] }', '"path" must have exactly one pattern, on line 1'],
    ['path "a" = {}', 'several keys before an equals sign on line 1'],
    ['path "a" {}}', 'a closing brace without an opening brace on line 1'],
    ['path "a" {} /* open', 'a comment that is not closed on line 1'],
    ['path "a\n" {}', 'a string that is not closed on line 1'],
    ['path "\\q" {}', 'an unknown escape sequence on line 1'],
    ['path "\\xff" {}', 'an escape sequence that is not a character on line 1'],
    ['path "\\ud800" {}', 'an escape sequence that is not a character on line 1'],
    ['path "\\U00110000" {}', 'an escape sequence that is not a character on line 1'],
    [`path "\${a("b")}" {}`, 'an interpolation that is not closed before the next quote or backslash on line 1'],
    ['path "a" { comment = <<EOF\nx\n}', 'a heredoc that is not closed on line 1'],
    ['path "a" { comment = << }', 'a heredoc without a name, or with text after its name on line 1'],
    ['path "a" { comment = 010 }', 'a value is missing on line 1'],
    ['path "a" { comment = 1e999 }', 'a number that does not fit a double on line 1'],
    ['path "a" { comment = null }', 'a value is missing on line 1'],
    [`path "a" { comment = ${'9'.repeat(200)} }`, 'a number that is too long on line 1'],
    ['{"path":{"a":{}},}', 'a member name in double quotes is missing on line 1'],
    ['{"path":{"a":{"capabilities":["read",]}}}', 'a value is missing on line 1'],
    ['{"path":{"a":{}}} x', 'unexpected text after the end of the policy on line 1'],
    ['{"path":{"a":1}}', 'path "a": must be a block, on line 1'],
    ['{"path":{"a":[1]}}', 'path "a": must be a block, on line 1'],
    ['{"path":"a"}', '"path" must be an object, or a list of objects, on line 1'],
    ['{"path":{"a\nb":{}}}', 'a string that is not closed on line 1'],
    ['{"path":{"\\x41":{}}}', 'an unknown escape sequence on line 1'],
    ['{"path":{"a":{"comment":01}}}', 'a value is missing on line 1'],
    ['{ # no\n"path":{}}', 'a member name in double quotes is missing on line 1'],
  ])('refuses %j: %s', (text, message) => expect(refusal(text).message).toContain(`failed to parse policy: ${message}`))

  it.each<[string, string, RegExp]>([
    ['text', `${'#'.repeat(MAX_POLICY_BYTES)}\n`, /at most 262144 bytes/],
    ['multi-byte text', `#${'é'.repeat(MAX_POLICY_BYTES / 2)}`, /at most 262144 bytes/],
    ['nesting', `path "a" { denied_parameters = { x = [${'['.repeat(100)}`, /more than 32 levels/],
    ['JSON nesting', '{"path":'.repeat(20_000), /more than 32 levels/],
    ['paths', 'path "a" {}\n'.repeat(10_001), /at most 10000 paths/],
    ['pattern characters', `path "${'a'.repeat(4097)}" {}`, /at most 4096 characters/],
    ['parameter values', `path "a" { denied_parameters = { x = [${'1,'.repeat(1001)}] } }`, /more than 1000 values/],
    ['keys of a block', '"a" '.repeat(1000), /too many keys/],
  ])('refuses a policy that exceeds the limit on %s', (_, text, message) => {
    const { message: refusalMessage } = refusal(text)
    expect(refusalMessage).toMatch(message)
    expect(refusalMessage.length).toBeLessThan(400)
  })

  it('accepts a policy of exactly the maximum size or the maximum number of paths', () => {
    expect(parsePolicy('#'.repeat(MAX_POLICY_BYTES)).rules).toEqual([])
    expect(parsePolicy('path "a" {}\n'.repeat(10_000)).rules).toHaveLength(10_000)
  })
})
