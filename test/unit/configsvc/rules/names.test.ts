import { describe, expect, it } from 'vitest'
import { isAuthMethodName, isIdentityName, isPolicyName, isRoleName } from '../../../../src/configsvc/rules/index.ts'

describe('the maximum length', () => {
  it.each([
    ['role', isRoleName, 256],
    ['policy', isPolicyName, 128],
    ['auth method', isAuthMethodName, 128],
    ['identity', isIdentityName, 256],
  ])('is enforced for the name of a %s, as are the permitted characters', (_, isValid, longest) => {
    expect(isValid('a'.repeat(longest))).toBe(true)
    expect(isValid('a'.repeat(longest + 1))).toBe(false)
    expect(isValid(`${'a'.repeat(10)}\n`)).toBe(false)
    expect(isValid('é')).toBe(false)
  })
})

it('a policy name may contain one slash, unless it begins with the prefix of built-in policies', () => {
  expect(['a/b', 'a/', 'builtin', 'builtins/a'].map(isPolicyName)).toEqual([true, true, true, true])
  for (const name of ['/a', 'a//b', 'a/b/', 'builtin/a', 'builtin/', 'Builtin/a', 'BUILTIN/global-read-only'])
    expect([name, isPolicyName(name)]).toEqual([name, false])
})

it('an identity name begins and ends with a letter or digit', () => {
  expect(['a', '0', 'a-b', 'a__b'].map(isIdentityName)).toEqual([true, true, true, true])
  expect(['-', 'a-', '_a', 'A', ''].map(isIdentityName)).toEqual([false, false, false, false, false])
})
