/**
 * Rules and decisions made to be slow: reading and compiling yield to the event loop. `../pieces.measured.slow.test.ts` measures how long
 * one piece takes.
 */
import { describe, expect, it } from 'vitest'
import { authorizerOf, buildAuthorizer, parseRules, readRules } from '../../../../src/configsvc/rules/index.ts'
import { drive } from '../driven.ts'
import { DISTINCT, type PREFIXES, REFUSED_RULES, SEGMENTS, SLOW_DECISIONS, SLOW_RULES } from './slow-rules.ts'

describe('reading and compiling ACL rules', () => {
  it.each(SLOW_RULES)('yields to the event loop for $what', ({ make, reading, compiling }) => {
    const { value: rules, pieces } = drive(readRules(make()))
    if (!rules) throw new Error('these rules were refused')
    expect(pieces).toBeGreaterThanOrEqual(reading)
    const policies = ['a', 'b', 'c', 'd'].map((name) => ({ name, rules }))
    expect(drive(buildAuthorizer(policies, 'deny')).pieces).toBeGreaterThanOrEqual(compiling)
  })

  it.each(REFUSED_RULES)('refuses %s', (_, make) => {
    expect(drive(readRules(make())).refused).toBe(true)
  })

  it('yields to the event loop for four policies with distinct names', () => {
    const policies = DISTINCT().map(({ name, text }) => ({ name, rules: parseRules(text) }))
    const { pieces, value } = drive(buildAuthorizer(policies, 'deny'))
    expect(pieces).toBeGreaterThanOrEqual(30)
    expect(value?.decide('service', 'read', '17-3')).toBe(true)
  })
})

describe('ACL decisions about long and unusual segments', () => {
  const decisions = (text: string) => {
    const authorizer = authorizerOf([{ name: 'p', rules: parseRules(text) }], 'deny')
    return SEGMENTS.map((segment) => [
      authorizer.decide('key', 'read', segment),
      authorizer.decide('key', 'write-prefix', segment),
    ])
  }
  const DENIED = [false, false]
  const [PREFIXED, LONG_NAME, NAMES] = SLOW_DECISIONS.map(([, make]) => make) as [typeof PREFIXES, () => string, () => string]

  it('are correct if the rules are for prefixes of one another', () => {
    // The first prefix is empty.
    expect(decisions(PREFIXED())).toEqual(SEGMENTS.map(() => [true, false]))
  })

  it.each([
    ['names next to one very long name', LONG_NAME],
    ['names among many other names', NAMES],
  ])('are correct if the rules are for %s', (_, make) => {
    expect(decisions(make())).toEqual(SEGMENTS.map(() => DENIED))
  })
})
