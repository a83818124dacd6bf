import { describe, expect, it } from 'vitest'
import { makeUsername, validateUsernameLength, validateUsernameTemplate } from '../../../src/engines/database/username.ts'
import { seededEntropy } from '../../../src/testing/index.ts'

const BYTES = { count: 63, unit: 'bytes' } as const
const CHARACTERS = { count: 32, unit: 'characters' } as const
const name = (role: string, longest: typeof BYTES | typeof CHARACTERS = BYTES): string => {
  const made = makeUsername('{{.RoleName}}', { fields: { DisplayName: '', RoleName: role }, now: 0, entropy: seededEntropy(1) })
  validateUsernameLength(made, longest)
  return made
}

describe('a database user name', () => {
  it.each([
    ['a'.repeat(63), BYTES],
    [`${'é'.repeat(31)}a`, BYTES],
    ['é'.repeat(32), CHARACTERS],
    ['😀'.repeat(32), CHARACTERS],
    ['a b;c$$d%@:/?#{}', BYTES],
  ])('may be %s', (role, longest) => {
    expect(name(role, longest)).toBe(role)
  })

  it.each([
    ['a'.repeat(64), BYTES, 'more than 63 bytes'],
    ['é'.repeat(32), BYTES, 'more than 63 bytes'],
    ['a'.repeat(33), CHARACTERS, 'more than 32 characters'],
    ['', BYTES, 'empty'],
    ['a"b', BYTES, 'quotes'],
    ["a'b", BYTES, 'quotes'],
    ['a`b', BYTES, 'quotes'],
    ['a\\b', BYTES, 'backslashes'],
    ['a\0b', BYTES, 'control characters'],
    ['a\nb', BYTES, 'control characters'],
    ['a\u0085b', BYTES, 'control characters'],
  ])('must not be %j', (role, longest, rule) => {
    expect(() => name(role, longest)).toThrow(rule)
    expect(() => name(role, longest)).toThrow(/^username_template: /)
  })
})

it('a username template is refused when it is written if it fails with empty fields', () => {
  const env = { now: 0, entropy: seededEntropy(1) }
  expect(() => validateUsernameTemplate('v-{{.DisplayName | truncate 8}}-{{random 20}}', env)).not.toThrow()
  expect(() => validateUsernameTemplate('{{if .RoleName}}{{index .RoleName 0}}{{end}}', env)).not.toThrow()
  expect(() => validateUsernameTemplate('{{index .RoleName 0}}', env)).toThrow(/^username_template: /)
  expect(() => validateUsernameTemplate('{{.Password}}', env)).toThrow(/^username_template: /)
})
