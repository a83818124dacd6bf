import { describe, expect, it } from 'vitest'
import { GLOBAL_MANAGEMENT, MAX_RULES_BYTES, parseRules } from '../../../../src/configsvc/rules/index.ts'

const refusal = (text: string): string => {
  try {
    parseRules(text)
  } catch (error) {
    expect(error).toMatchObject({ status: 400, code: 'ERR_INVALID_REQUEST' })
    return (error as Error).message
  }
  throw new Error(`was not refused: ${text.slice(0, 200)}`)
}

const exact = (resource: string, name: string, level: string) => ({ resource, match: 'exact', name, level })
const prefix = (resource: string, name: string, level: string) => ({ resource, match: 'prefix', name, level })

describe('ACL rules', () => {
  it('are parsed for resources with and without names', () => {
    expect(parseRules('acl = "read"\nkey_prefix "a/" { policy = "list" }\nnode "n" { policy = "deny" }')).toEqual([
      exact('acl', '', 'read'),
      prefix('key', 'a/', 'list'),
      exact('node', 'n', 'deny'),
    ])
  })

  it.each([
    ['the label of a block', 'service "a" { policy = "read" }  service "b" { policy = "write" }'],
    ['the keys of an assigned object', 'service = { a = { policy = "read" }, b = { policy = "write" } }'],
    ['nested blocks', 'service { a { policy = "read" } "b" { policy = "write" } }'],
    ['the keys of objects in a list', 'service = [{ a = { policy = "read" } }, { b = [{ policy = "write" }] }]'],
    ['JSON', '{"service":{"a":{"policy":"read"},"b":{"policy":"write"}}}'],
    ['JSON with lists', '{"service":[{"a":[{"policy":"read"}]},{"b":{"policy":"write"}}]}'],
    ['JSON with a duplicate member', ' {"service":{"a":{"policy":"read"}},"service":{"b":{"policy":"write"}}}'],
  ])('take their names from %s', (_, text) => {
    expect(parseRules(text)).toEqual([exact('service', 'a', 'read'), exact('service', 'b', 'write')])
  })

  it('accept keys and levels in any letter case, and keep the case of names', () => {
    const text = 'ACL = "Read"\nService_Prefix "Web" { Policy = "WRITE" INTENTIONS = "Deny" }'
    expect(parseRules(text)).toEqual([
      exact('acl', '', 'read'),
      prefix('service', 'Web', 'write'),
      prefix('intention', 'Web', 'deny'),
    ])
  })

  it.each(['', ' \n', '# nothing', '{}', 'acl = ""', '{"mesh":""}', 'unknown "x" { policy = "nope" }', 'partition = 5'])(
    'are parsed to an empty list: %j',
    (text) => expect(parseRules(text)).toEqual([]),
  )

  it('may contain several rules for one name', () => {
    expect(parseRules('key "a" { policy = "read" }\nkey "a" { policy = "deny" }')).toHaveLength(2)
  })

  it('set no level for intentions if the field `intentions` is empty, and may contain unknown fields', () => {
    expect(parseRules('service "a" { policy = "read" intentions = "" note = 5 }')).toEqual([exact('service', 'a', 'read')])
  })

  it('may name any string', () => {
    for (const name of ['', '__proto__', 'é\u2028', 'a"b', 'x'.repeat(10_000)])
      expect(parseRules(JSON.stringify({ key: JSON.parse(`{${JSON.stringify(name)}:{"policy":"read"}}`) }))).toEqual([
        exact('key', name, 'read'),
      ])
  })
})

describe('ACL rules are refused with a message for', () => {
  it.each([
    ['an invalid level', '\nacl = "nope"', 'acl must be one of read, write, deny, on line 2'],
    [
      'the level list for a resource that lacks it',
      'node "n" { policy = "list" }',
      'node "n": policy must be one of read, write, deny, on line 1',
    ],
    [
      'an invalid level for keys',
      'key "k" {\n\n policy = "x" }',
      'key "k": policy must be one of read, list, write, deny, on line 3',
    ],
    [
      'the level list for intentions',
      'service "s" { policy = "read" intentions = "list" }',
      'service "s": intentions must be one of read',
    ],
    ['an empty level in a block', 'key "k" { policy = "" }', 'key "k": policy must be one of'],
    ['a level that is not a string', 'acl = true', 'acl must be one of'],
    ['null', '{"acl":null}', 'acl must be one of'],
    ['a missing level', 'agent_prefix "a" {}', 'agent_prefix "a": policy is missing, on line 1'],
    ['a duplicate level', 'key "k" { policy = "read" Policy = "write" }', 'key "k": policy is given twice'],
    ['a duplicate resource without names', 'acl = "write"\nacl = "read"', 'acl is given twice, on line 2'],
    ['a name for a resource without names', 'acl "a" { policy = "read" }', 'acl takes no name'],
    ['an empty name for a resource without names', 'acl "" {}', 'acl takes no name'],
    ['a level for a resource that requires a name', 'service = "read"', 'service must be a block with a name'],
    ['a block without a name', 'service { policy = "read" }', 'service "policy" must be a block'],
    ['two names', 'service "a" "b" { policy = "read" }', 'service takes one name'],
    ['a level with a name', 'service "a" { policy "x" {} }', 'service "a": policy takes no name'],
    ['too many fields', `key "k" { policy = "read" ${'x = 1 '.repeat(1000)} }`, 'key "k" has more than 1000 fields, on line 1'],
    ['text that is neither HCL nor JSON', 'service "a" { policy = ', 'unexpected end, a value is missing on line 1'],
    ['text after the JSON document', '{} {}', 'unexpected text after the end of the policy'],
    ['nesting that is too deep', `x = ${'['.repeat(40)}`, 'more than 32 levels of nesting'],
    ['text that is too long', ' '.repeat(MAX_RULES_BYTES + 1), 'a policy must be at most 524288 bytes long'],
    ['text with too many bytes', `#${'é'.repeat(MAX_RULES_BYTES / 2)}`, 'a policy must be at most 524288 bytes long'],
  ])('%s', (_, text, message) => expect(refusal(text)).toContain(`failed to parse ACL rules: ${message}`))

  it('a very long name, which is shortened in the message', () => {
    expect(refusal(`key "${'k'.repeat(100_000)}" {}`).length).toBeLessThan(300)
  })
})

it('parsed ACL rules are immutable', () => {
  const rules = parseRules(GLOBAL_MANAGEMENT.Rules)
  expect(Object.isFrozen(rules) && rules.every(Object.isFrozen)).toBe(true)
})
