/**
 * Compares the compiled matcher with a naive one: the matching rules it lists and the prefixes they reach. The priority of rules is tested
 * in policy-order.test.ts.
 */

import { describe, expect, it } from 'vitest'
import { runToEnd } from '../../src/core/base/steps.ts'
import { type AclOperation, compileAcl, parsePolicy } from '../../src/core/policy/index.ts'
import fc from '../fixtures/fast-check.ts'
import { hasPlus, isOpen, loses, matches, type NaiveRule, ruleFor, stemOf } from '../fixtures/naive-acl.ts'
import { runs } from '../fixtures/runs.ts'

const RUNS = runs({ quick: 4000, soak: 100_000 })

const words = (...list: string[]) => fc.constantFrom(...list)

const pattern = fc
  .tuple(
    fc.array(
      fc.oneof(
        { weight: 4, arbitrary: words('a', 'b', 'ab') },
        { weight: 3, arbitrary: fc.constant('+') },
        { weight: 1, arbitrary: words('', 'a+', '+a', 'a*b', 'ba') },
      ),
      { minLength: 1, maxLength: 5 },
    ),
    words('', '', '/', '*', '/*'),
  )
  .map(([segments, end]) => segments.join('/') + end)
  .filter((text) => !text.includes('+*') && !text.startsWith('/'))

const path = fc
  .tuple(
    fc.array(
      fc.oneof(
        { weight: 8, arbitrary: words('a', 'b', 'ab') },
        { weight: 1, arbitrary: words('', '+', 'a+', '+a', 'abc', 'a*b', 'ba') },
      ),
      { minLength: 1, maxLength: 6 },
    ),
    fc.boolean(),
  )
  .map(([segments, slash]) => segments.join('/') + (slash ? '/' : ''))

const capabilities = fc.subarray(['create', 'read', 'update', 'delete', 'list', 'patch', 'sudo'])

const rules = fc.uniqueArray(fc.record({ pattern, capabilities }), { maxLength: 12, selector: (rule) => rule.pattern })

const operation = words('read', 'list', 'update', 'delete', 'create', 'patch') as fc.Arbitrary<AclOperation>

const textOf = (blocks: readonly NaiveRule[]): string =>
  blocks.map((rule) => `path ${JSON.stringify(rule.pattern)} { capabilities = ${JSON.stringify(rule.capabilities)} }`).join('\n')

const aclOf = (blocks: readonly NaiveRule[]) => compileAcl([{ name: 'p', policy: parsePolicy(textOf(blocks)), namespace: '' }])

describe('a compiled policy', () => {
  it('explains a decision with all other matching rules in priority order', () => {
    fc.assert(
      fc.property(rules, path, (blocks, at) => {
        const rule = ruleFor(blocks, at, false)
        const others = blocks.filter((block) => block !== rule && matches(block.pattern, at)).map((block) => block.pattern)
        others.sort((a, b) => (loses(a, b) ? 1 : -1))
        expect(aclOf(blocks).explain({ operation: 'read', path: at }).rule?.over ?? []).toEqual(others)
      }),
      { numRuns: RUNS },
    )
  })

  it('reports access below a prefix if a rule grants access to a path with that prefix', () => {
    fc.assert(
      fc.property(rules, path, fc.array(path, { maxLength: 8 }), (blocks, prefix, tails) => {
        const granted = (at: string): boolean =>
          [true, false].some((list) => (ruleFor(blocks, at, list)?.capabilities.length ?? 0) > 0)
        const below = [
          prefix,
          ...tails.map((tail) => prefix + tail),
          ...blocks.map(({ pattern: own }) => own.replaceAll(/[+*]/g, 'b')),
        ]
        if (below.some((at) => at.startsWith(prefix) && granted(at))) expect(runToEnd(aclOf(blocks).reaches(prefix))).toBe(true)
      }),
      { numRuns: RUNS },
    )
  })

  it('reports no access below a prefix if no granting rule can match a path with that prefix', () => {
    fc.assert(
      fc.property(rules, path, (blocks, prefix) => {
        if (!runToEnd(aclOf(blocks).reaches(prefix))) return
        // The pattern of a granting rule must agree with the prefix up to the shorter of both.
        const fits = ({ pattern: own, capabilities: granted }: NaiveRule): boolean => {
          if (granted.length === 0) return false
          const bare = prefix.replace(/\/$/, '')
          return [prefix, bare].some((pattern) => {
            const pieces = stemOf(own).split('/')
            const segments = pattern.split('/')
            return (
              segments.every((segment, i) => {
                const piece = pieces[i]
                if (piece === undefined) return isOpen(own)
                const last = i === segments.length - 1
                const end = i === pieces.length - 1
                if (piece === '+' && hasPlus(own)) return true
                return (
                  (last && piece.startsWith(segment)) || (isOpen(own) && end && segment.startsWith(piece)) || piece === segment
                )
              }) ||
              (isOpen(own) && pieces.length < segments.length)
            )
          })
        }
        expect(blocks.some(fits)).toBe(true)
      }),
      { numRuns: RUNS },
    )
  })

  it('decides the same whatever the order of its rules', () => {
    fc.assert(
      fc.property(rules, path, (blocks, at) => {
        expect(aclOf(blocks.toReversed()).capabilities(at)).toEqual(aclOf(blocks).capabilities(at))
      }),
      { numRuns: RUNS },
    )
  })
})

describe('the explanation of a policy decision', () => {
  const value = fc.oneof(words('a', 'ab', 'b'), fc.integer({ min: 0, max: 2 }), fc.boolean(), fc.constant(null))
  const parameters = fc.dictionary(words('a', 'b', 'A', '*', 'c'), value, { maxKeys: 3 })
  const listed = fc.dictionary(words('a', 'b', '*'), fc.array(words('"a"', '"a*"', '1', 'true'), { maxLength: 2 }), {
    maxKeys: 2,
  })
  const map = (lists: Readonly<Record<string, readonly string[]>>): string =>
    `{ ${Object.entries(lists)
      .map(([name, values]) => `"${name}" = [${values.join(', ')}]`)
      .join(', ')} }`

  it('has the same result as the decision', () => {
    const rule = fc.record({
      capabilities,
      allowed: listed,
      denied: listed,
      required: fc.subarray(['a', 'b']),
      min: fc.nat({ max: 2 }),
      max: words('0', '2', '3'),
    })
    const request = fc.record({ operation, parameters, wrapTtl: fc.option(fc.nat({ max: 4 }), { nil: undefined }) })
    fc.assert(
      fc.property(rule, fc.array(request, { minLength: 1, maxLength: 5 }), (terms, requests) => {
        const acl = compileAcl([
          {
            name: 'p',
            namespace: 'ns/',
            policy: parsePolicy(`path "x*" {
              capabilities = ${JSON.stringify(terms.capabilities)}
              allowed_parameters = ${map(terms.allowed)}
              denied_parameters = ${map(terms.denied)}
              required_parameters = ${JSON.stringify(terms.required)}
              min_wrapping_ttl = ${terms.min}
              max_wrapping_ttl = ${terms.max}
            }`),
          },
        ])
        for (const request of requests) {
          const { allowed, sudo, reason } = acl.explain({ ...request, path: 'ns/x/y' })
          expect({ allowed, sudo }).toEqual(acl.decide({ ...request, path: 'ns/x/y' }))
          expect(reason.includes(' grants "')).toBe(allowed)
        }
      }),
      { numRuns: RUNS },
    )
  })
})
