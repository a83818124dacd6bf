/**
 * Compares the deciding rule of random policies for a random path with a naive implementation of Vault's priority order. The alphabet is
 * small, so that several rules match most paths.
 */

import { expect, it } from 'vitest'
import { type Acl, type AclOperation, compileAcl, parsePolicy } from '../../src/core/policy/index.ts'
import fc from '../fixtures/fast-check.ts'
import { matches, mergedRules, type NaiveRule, ruleFor } from '../fixtures/naive-acl.ts'
import { runs } from '../fixtures/runs.ts'

const RUNS = runs({ quick: 20_000, soak: 100_000 })

const CAPABILITIES = ['create', 'read', 'update', 'delete', 'list', 'patch', 'sudo', 'deny'] as const
const OPERATIONS: readonly AclOperation[] = ['create', 'read', 'update', 'delete', 'list', 'patch']

/** A small generator; drawing a case with fast-check would take longer than evaluating it. */
function choices(seed: number): (count: number) => number {
  let state = seed | 0
  return (count) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count
  }
}

type Choose = ReturnType<typeof choices>

const oneOf = <T>(choose: Choose, list: readonly T[]): T => list[choose(list.length)] as T

const SEGMENTS = ['a', 'a', 'a', 'a', 'b', 'ab', '+', '+', '+', '+', '', 'a+', '+a', 'a*b']
const ENDS = ['', '', '', '/', '*', '*', '*', '/*', '/*']
const PATH_SEGMENTS = ['a', 'a', 'a', 'a', 'a', 'a', 'a', 'b', 'ab', 'abc', '', '+', 'a+', '+a', 'a*b']

const joined = (choose: Choose, most: number, segments: readonly string[]): string =>
  Array.from({ length: 1 + choose(most) }, () => oneOf(choose, segments)).join('/')

function patternOf(choose: Choose): string {
  const pattern = joined(choose, 3, SEGMENTS) + oneOf(choose, ENDS)
  return pattern.includes('+*') || pattern.startsWith('/') ? 'a' : pattern
}

const ruleOf = (choose: Choose): NaiveRule => ({
  pattern: patternOf(choose),
  // One in eight denies, one in eight grants nothing.
  capabilities: choose(8) === 0 ? [] : [oneOf(choose, CAPABILITIES), ...(choose(2) === 0 ? ['list'] : [])],
})

const textOf = (rules: readonly NaiveRule[]): string =>
  rules.map(({ pattern, capabilities }) => `path "${pattern}" { capabilities = ${JSON.stringify(capabilities)} }`).join('\n')

const aclOf = (policies: readonly (readonly NaiveRule[])[]): Acl =>
  compileAcl(policies.map((rules, i) => ({ name: `p${i}`, policy: parsePolicy(textOf(rules)), namespace: '' })))

/** Everything that the ACL reveals for a path: decisions, sudo, deciding rules and capabilities. */
function seen(acl: Acl, path: string): string {
  const decisions = OPERATIONS.map((operation) => {
    const { allowed, sudo } = acl.decide({ operation, path })
    return `${operation} ${allowed} ${sudo}`
  })
  const rules = (['list', 'read'] as const).map((operation) => acl.explain({ operation, path }).rule?.pattern)
  return [...decisions, ...rules, ...acl.capabilities(path)].join('\n')
}

function expected(rules: readonly NaiveRule[], path: string): string {
  const list = ruleFor(rules, path, true)
  const read = ruleFor(rules, path, false)
  const decisions = OPERATIONS.map((operation) => {
    const granted = (operation === 'list' ? list : read)?.capabilities ?? []
    return `${operation} ${granted.includes(operation)} ${granted.includes('sudo')}`
  })
  // Capabilities are always those of a list.
  const capabilities = ruleFor(rules, path.replace(/^\//, ''), true)?.capabilities ?? []
  return [...decisions, list?.pattern, read?.pattern, ...(capabilities.length === 0 ? ['deny'] : capabilities)].join('\n')
}

it("the rule that decides about a request is the first in Vault's priority order, also for lists", () => {
  let met = 0
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const choose = choices(seed)
      const policies = Array.from({ length: 1 + choose(3) }, () => Array.from({ length: 1 + choose(5) }, () => ruleOf(choose)))
      const path = joined(choose, 3, PATH_SEGMENTS) + (choose(2) === 0 ? '/' : '')
      const rules = mergedRules(policies)
      const actual = seen(aclOf(policies), path)
      const expectedRule = expected(rules, path)
      // Calling `expect` each time would take longer than everything else.
      if (actual !== expectedRule) expect({ policies, path, seen: actual }).toEqual({ policies, path, seen: expectedRule })
      if (rules.filter(({ pattern }) => matches(pattern, path)).length > 1) met++
    }),
    { numRuns: RUNS },
  )
  // The comparison is meaningful only if several rules often match.
  expect(met).toBeGreaterThan(RUNS / 10)
})
