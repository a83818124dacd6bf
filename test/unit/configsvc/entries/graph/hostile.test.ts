/** Unrealistic chains: long, wide, and nested many times. */
import { describe, expect, it } from 'vitest'
import { compileChain } from '../../../../../src/configsvc/entries/graph/chain.ts'
import { flattenSplits } from '../../../../../src/configsvc/entries/graph/flatten.ts'
import { validateChange } from '../../../../../src/configsvc/entries/graph/validate-change.ts'
import { runToEnd, type Steps } from '../../../../../src/core/base/steps.ts'
import { EntrySet } from '../../../../fixtures/entry-set.ts'
import { runs } from '../../../../fixtures/runs.ts'
import { drive } from '../../driven.ts'
import {
  CHANGE_OF_REDIRECTS,
  CHANGE_OF_ROUTES,
  chainOf,
  circle,
  HTTP,
  neighbours,
  redirects,
  routes,
  split,
  splitters,
} from './long-chains.ts'

const LENGTH = runs({ quick: 20_000, soak: 100_000 })

/** The minimum number of pieces of the work, and the maximum number of entries that one piece may read. */
function piecesOf(set: EntrySet, steps: Steps<unknown>): { readonly pieces: number; readonly most: number } {
  let most = 0
  let before = set.read.length
  const { pieces } = drive(steps, () => {
    most = Math.max(most, set.read.length - before)
    before = set.read.length
  })
  return { pieces, most }
}

describe('validation of long chains', () => {
  it('refuses a cycle of 1,000 redirects with a message that omits most of its members', () => {
    const set = new EntrySet(circle(1000))
    const compile = () => runToEnd(compileChain(set, 's0'))
    expect(compile).toThrow(/^service-resolvers: circular redirect: "s0" -> "s1" -> .* -> "s13" -> \.\.\. 986 more -> "s0"$/)
    // Protocol, redirect and subset of each service, for each of two attempts.
    expect(set.read.length).toBeLessThan(1000 * 12)
  })

  it('yields to the event loop and does not overflow the stack for a long chain of splitters', () => {
    const set = new EntrySet(splitters(LENGTH))
    const { pieces, most } = piecesOf(set, compileChain(set, 's0'))
    expect(pieces).toBeGreaterThanOrEqual(LENGTH / 100)
    expect(most).toBeLessThan(1000)
  })

  it('reads each service only a few times for 3,000 redirects', () => {
    const set = new EntrySet(redirects(3000))
    const { pieces, most } = piecesOf(set, validateChange(set, neighbours, CHANGE_OF_REDIRECTS))
    expect(pieces).toBeGreaterThanOrEqual(50)
    expect(most).toBeLessThan(1000)
    // Protocol, redirect and subset of each service, and the entries that depend on it.
    expect(set.read.length).toBeLessThan(3000 * 12)
  })
})

describe('validation of wide chains', () => {
  it('yields to the event loop at least 100 times for 10,000 routes', () => {
    const set = new EntrySet(routes(10_000))
    const { pieces, most } = piecesOf(set, validateChange(set, set, CHANGE_OF_ROUTES))
    expect(pieces).toBeGreaterThanOrEqual(100)
    expect(most).toBeLessThan(1000)
    // A few reads for each destination.
    expect(set.read.length).toBeLessThan(10_000 * 12)
  })

  it('compiles and flattens splitters with 2^30 paths if all paths lead to one target', () => {
    const folded = chainOf(30, (name, next) => split(name, { Service: `${name}a` }, { Service: `${name}b`, Name: next }))
    const sides = chainOf(30, (name, next) => split(`${name}a`, { Service: next }))
    const others = chainOf(30, (name, next) => split(`${name}b`, { Service: next }))
    const chain = runToEnd(compileChain(new EntrySet([HTTP, ...folded, ...sides, ...others]), 's0'))
    expect(runToEnd(flattenSplits(chain, chain.start)).map(({ Weight }) => Weight)).toEqual([100])
  })

  it('refuses to flatten splitters with 2^30 paths whose header modifiers all differ', () => {
    const header = (Service: string, name: string) => ({ Service, RequestHeaders: { Set: { [name]: '1' } } })
    const folded = chainOf(30, (name, next) =>
      split(name, header(`${name}a`, `${name}a`), header(`${name}b`, `${name}b`), { Service: next }),
    )
    const sides = chainOf(30, (name, next) => split(`${name}a`, { Service: next }))
    const others = chainOf(30, (name, next) => split(`${name}b`, { Service: next }))
    const chain = runToEnd(compileChain(new EntrySet([HTTP, ...folded, ...sides, ...others]), 's0'))
    expect(() => runToEnd(flattenSplits(chain, chain.start))).toThrow(/more than 10000 splits/)
  })

  it('refuses to flatten 2,000 nested splitters that each add a header modifier', () => {
    const nested = chainOf(2000, (name, Service) =>
      split(name, { Service, RequestHeaders: { Set: { [`h-${name}`]: '1' } } }, { ServiceSubset: 'v1' }),
    )
    const subsets = chainOf(2000, (Name) => ({ Kind: 'service-resolver', Name, Subsets: { v1: {} } }))
    const chain = runToEnd(compileChain(new EntrySet([HTTP, ...nested, ...subsets]), 's0'))
    expect(() => runToEnd(flattenSplits(chain, chain.start))).toThrow(/more than 100000 header modifiers/)
  })
})
