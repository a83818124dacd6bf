/**
 * Rules and questions made to be slow. The bounds are far above what is needed and far below what anything but linear work takes.
 */
import { describe, expect, it } from 'vitest'
import { authorizerOf, buildAuthorizer, MOST_RULES_TEXT, parseRules, readRules } from '../../../../src/configsvc/rules/index.ts'
import { finish, type Steps } from '../../../../src/core/base/steps.ts'
import { MEASURED } from '../../../fixtures/measured.ts'

/** No caller may wait longer. */
const MOST_MILLISECONDS = 50

const ask = (text: string) => authorizerOf([{ name: 'p', rules: parseRules(text) }], 'deny')

/** As many of `make` as a text may hold, between a beginning and an end. */
function filled(make: (i: number) => string, begin = '', end = ''): string {
  const pieces = [begin]
  for (let length = begin.length + end.length, i = 0; ; i++) {
    const piece = make(i)
    length += piece.length
    if (length > MOST_RULES_TEXT) return [...pieces, end].join('')
    pieces.push(piece)
  }
}

/** Processor time of the longest step, and the result. A refusal ends them too. */
function longestStep<T>(steps: Steps<T>): { readonly longest: number; readonly value: T | undefined } {
  let longest = 0
  for (;;) {
    const start = process.cpuUsage()
    let step: ReturnType<typeof steps.next> | undefined
    try {
      step = steps.next()
    } catch {
      // The refusal of a text is a step like any other.
    }
    longest = Math.max(longest, process.cpuUsage(start).user / 1000)
    if (!step || step.done) return { longest, value: step?.value }
  }
}

const PREFIXES = () => filled((i) => `key_prefix "${'a'.repeat(i)}" {policy="read"}`)

const RULES: readonly (readonly [string, () => string])[] = [
  ['many rules', () => filled((i) => `key_prefix "${i.toString(36)}" {policy="read"}`)],
  ['many rules in JSON', () => filled((i) => `"${i}":{"policy":"read"},`, '{"key":{', '"x":{"policy":"read"}}}')],
  ['one name many times', () => filled(() => 'service "a" {policy="read"}')],
  ['prefixes of each other', PREFIXES],
  ['one long name', () => filled(() => 'a', 'key "', '" {policy="read"}')],
  ['unknown keys', () => filled((i) => `x${i}=1\n`)],
  ['no names', () => filled(() => '{},', '{"key":[', '{}]}')],
  ['names without blocks', () => filled(() => '"":[],', '{"key":{', '"":[]}}')],
  ['an unknown list', () => filled(() => '1,', 'x = [', ']')],
]

const REFUSED: readonly (readonly [string, () => string])[] = [
  ['opened blocks', () => filled(() => 'a {')],
  ['opened lists', () => filled(() => '[', 'a = ')],
  ['unknown fields', () => filled(() => 'a=1 ', 'key "a" { policy = "read" ', '}')],
  ['labels', () => filled(() => '"" ')],
  ['a comment that does not end', () => filled(() => '/* ')],
  ['line breaks, and a refusal behind them', () => filled(() => '\n', '', 'acl = "x"')],
]

describe('reading gives way', MEASURED, () => {
  it.each(RULES)('%s', (_, make) => {
    const { longest, value } = longestStep(readRules(make()))
    expect(value).toBeDefined()
    expect(longest).toBeLessThan(MOST_MILLISECONDS)
  })

  it.each(REFUSED)('%s', (_, make) => {
    const { longest, value } = longestStep(readRules(make()))
    expect(value).toBeUndefined()
    expect(longest).toBeLessThan(MOST_MILLISECONDS)
  })
})

describe('compiling gives way', MEASURED, () => {
  it.each(RULES)('%s, of four policies', (_, make) => {
    const rules = finish(readRules(make()))
    const policies = ['a', 'b', 'c', 'd'].map((name) => ({ name, rules }))
    expect(longestStep(buildAuthorizer(policies, 'deny')).longest).toBeLessThan(MOST_MILLISECONDS)
  })

  it('distinct names of many policies', () => {
    const policies = Array.from({ length: 4 }, (_, p) => ({
      name: `p${p}`,
      rules: parseRules(filled((i) => `service "${i}-${p}" {policy="read"}`)),
    }))
    const { longest, value } = longestStep(buildAuthorizer(policies, 'deny'))
    expect(longest).toBeLessThan(MOST_MILLISECONDS)
    expect(value?.decide('service', 'read', '17-3')).toBe(true)
  })
})

describe('deciding is quick', MEASURED, () => {
  const LONG = 'a'.repeat(MOST_RULES_TEXT)

  /** Processor time of one decision, in the best of five. */
  function milliseconds(decide: () => unknown): number {
    let best = Number.POSITIVE_INFINITY
    for (let i = 0; i < 5; i++) {
      const start = process.cpuUsage()
      decide()
      best = Math.min(best, process.cpuUsage(start).user / 1000)
    }
    return best
  }

  it.each([
    ['prefixes of each other', PREFIXES],
    ['one long name', () => filled(() => 'a', 'key_prefix "', 'b" {policy="read"}')],
    ['many names', () => filled((i) => `key "${i}" {policy="write"}`)],
  ])('%s', (_, make) => {
    const authorizer = ask(make())
    for (const segment of [LONG, `${LONG}b`, '', '*', 'a'])
      for (const access of ['read', 'write-prefix'] as const)
        expect(milliseconds(() => authorizer.decide('key', access, segment))).toBeLessThan(10)
  })
})
