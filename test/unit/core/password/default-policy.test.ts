import { expect, it } from 'vitest'
import { DEFAULT_PASSWORD_POLICY } from '../../../../src/core/access/password/default-policy.ts'
import { parsePasswordPolicy } from '../../../../src/core/access/password/policy.ts'
import { runToEnd } from '../../../../src/core/base/steps.ts'

const TEXT = `
length = 20
rule "charset" {
  charset = "abcdefghijklmnopqrstuvwxyz"
  min-chars = 1
}
rule "charset" {
  charset = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
  min-chars = 1
}
rule "charset" {
  charset = "0123456789"
  min-chars = 1
}
rule "charset" {
  charset = "-"
  min-chars = 1
}
`

it('the built-in default password policy equals the documented one', () => {
  const { length, characters, rules } = runToEnd(parsePasswordPolicy(TEXT))
  const sorted = (all: typeof rules) =>
    all
      .map((rule) => ({ least: rule.least, characters: [...rule.characters].sort().join('') }))
      .sort((a, b) => (a.characters < b.characters ? -1 : 1))
  expect(DEFAULT_PASSWORD_POLICY.length).toBe(length)
  expect(DEFAULT_PASSWORD_POLICY.characters).toEqual(characters)
  expect(sorted(DEFAULT_PASSWORD_POLICY.rules)).toEqual(sorted(rules))
})
