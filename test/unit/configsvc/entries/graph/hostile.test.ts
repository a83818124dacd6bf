/** Chains as nobody would write them: long, wide, folded many times. */
import { describe, expect, it } from 'vitest'
import { compileChain } from '../../../../../src/configsvc/entries/graph/chain.ts'
import { flattenSplits } from '../../../../../src/configsvc/entries/graph/flatten.ts'
import { judgeChange } from '../../../../../src/configsvc/entries/graph/judge-change.ts'
import { finish, type Steps } from '../../../../../src/core/base/steps.ts'
import { type AnyEntry, EntrySet } from '../../../../fixtures/entry-set.ts'
import { MEASURED } from '../../../../fixtures/measured.ts'
import { processorTime } from '../../../../fixtures/processor-time.ts'

const HTTP: AnyEntry = { Kind: 'proxy-defaults', Name: 'global', Config: { protocol: 'http' } }

const chainOf = (length: number, entry: (name: string, next: string, i: number) => AnyEntry): AnyEntry[] =>
  Array.from({ length }, (_, i) => entry(`s${i}`, `s${i + 1}`, i))

const split = (Name: string, ...to: object[]): AnyEntry => ({
  Kind: 'service-splitter',
  Name,
  Splits: to.map((one) => ({ Weight: 100 / to.length, ...one })),
})

/** Processor time of all pieces and of the longest, in milliseconds. */
function timed<T>(steps: Steps<T>): { readonly total: number; readonly longest: number } {
  let total = 0
  let longest = 0
  for (;;) {
    const start = process.cpuUsage()
    const { done } = steps.next()
    const took = process.cpuUsage(start).user / 1000
    total += took
    longest = Math.max(longest, took)
    if (done) return { total, longest }
  }
}

describe('long chains', () => {
  it('of redirects in a circle are refused, and the text stays short', MEASURED, () => {
    const circle = chainOf(1000, (Name, next, i) => ({
      Kind: 'service-resolver',
      Name,
      Redirect: { Service: i === 999 ? 's0' : next },
    }))
    const set = new EntrySet(circle)
    const compile = () => finish(compileChain(set, 's0'))
    expect(compile).toThrow(/^service-resolvers: circular redirect: "s0" -> "s1" -> .* -> "s13" -> \.\.\. 986 more -> "s0"$/)
    expect(processorTime(() => expect(compile).toThrow())).toBeLessThan(50)
  })

  it('of 100,000 splitters compile without a deep stack', MEASURED, () => {
    const set = new EntrySet([HTTP, ...chainOf(100_000, (Name, Service) => split(Name, { Service }))])
    const { longest } = timed(compileChain(set, 's0'))
    expect(longest).toBeLessThan(50)
  })

  it('are judged once, not once for each of their services', MEASURED, () => {
    const entries = chainOf(3000, (Name, next) => ({ Kind: 'service-resolver', Name, Redirect: { Service: next } }))
    const set = new EntrySet(entries)
    // The index of the fixture reads all entries, which is not what is measured.
    const references = {
      referring: (_to: string, service: string) => {
        const name = `s${Number(service.slice(1)) - 1}`
        return name === 's-1' ? [] : [{ kind: 'service-resolver', name }]
      },
      allOf: () => [],
    }
    const change = { kind: 'service-resolver', name: 's2999', before: undefined } as const
    const { longest } = timed(judgeChange(set, references, [change]))
    expect(longest).toBeLessThan(50)
    // Protocol, redirect and subset of each service, and what depends on it.
    expect(set.read.length).toBeLessThan(3000 * 12)
  })
})

describe('wide chains', () => {
  it('with 10,000 routes give way', MEASURED, () => {
    const Routes = Array.from({ length: 10_000 }, (_, i) => ({ Destination: { Service: `s${i}` } }))
    const set = new EntrySet([HTTP, { Kind: 'service-router', Name: 'web', Routes }])
    const { total, longest } = timed(judgeChange(set, set, [{ kind: 'service-router', name: 'web', before: undefined }]))
    expect(longest).toBeLessThan(50)
    expect(total).toBeLessThan(1000)
  })

  it('in which 60 splitters make 2^30 paths compile, and flatten where places meet', () => {
    const folded = chainOf(30, (name, next) => split(name, { Service: `${name}a` }, { Service: `${name}b`, Name: next }))
    const sides = chainOf(30, (name, next) => split(`${name}a`, { Service: next }))
    const others = chainOf(30, (name, next) => split(`${name}b`, { Service: next }))
    const chain = finish(compileChain(new EntrySet([HTTP, ...folded, ...sides, ...others]), 's0'))
    expect(finish(flattenSplits(chain, chain.start)).map(({ Weight }) => Weight)).toEqual([100])
  })

  it('that differ on each of 2^30 paths are refused when they are to be flattened', () => {
    const header = (Service: string, name: string) => ({ Service, RequestHeaders: { Set: { [name]: '1' } } })
    const folded = chainOf(30, (name, next) =>
      split(name, header(`${name}a`, `${name}a`), header(`${name}b`, `${name}b`), { Service: next }),
    )
    const sides = chainOf(30, (name, next) => split(`${name}a`, { Service: next }))
    const others = chainOf(30, (name, next) => split(`${name}b`, { Service: next }))
    const chain = finish(compileChain(new EntrySet([HTTP, ...folded, ...sides, ...others]), 's0'))
    expect(() => finish(flattenSplits(chain, chain.start))).toThrow(/more than 10000 splits/)
  })

  it('that modify more and more headers are refused when they are to be flattened', () => {
    const nested = chainOf(2000, (name, Service) =>
      split(name, { Service, RequestHeaders: { Set: { [`h-${name}`]: '1' } } }, { ServiceSubset: 'v1' }),
    )
    const subsets = chainOf(2000, (Name) => ({ Kind: 'service-resolver', Name, Subsets: { v1: {} } }))
    const chain = finish(compileChain(new EntrySet([HTTP, ...nested, ...subsets]), 's0'))
    expect(() => finish(flattenSplits(chain, chain.start))).toThrow(/more than 100000 modifiers/)
  })
})
