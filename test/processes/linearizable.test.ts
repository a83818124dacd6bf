/**
 * The checker must detect every impossible history and accept every possible one.
 */

import { describe, expect, it } from 'vitest'
import fc from '../fixtures/fast-check.ts'
import { RUNS } from '../property/support.ts'
import { faultOf } from './history.ts'
import { firstFault, type Model, type Timed } from './linearizable.ts'
import { firstOutdated, REGISTER, type RegisterOp } from './registers.ts'
import type { Event } from './worker.child.ts'

const at = (start: number, end: number, op: RegisterOp): Timed<RegisterOp> => ({ start, end, op })
const read = (version: number, value: number): RegisterOp & { kind: 'read' } => ({ kind: 'read', version, value })
const write = (value: number, version?: number): RegisterOp => ({ kind: 'write', value, version })
const cas = (expected: number, value: number, version?: number): RegisterOp => ({ kind: 'cas', expected, value, version })
const NEVER = Number.POSITIVE_INFINITY

describe('firstFault for a history that is not linearizable', () => {
  it.each<[string, readonly Timed<RegisterOp>[]]>([
    [
      'a read of a value that was overwritten before the read began',
      [at(0, 1, write(7, 1)), at(2, 3, write(8, 2)), at(4, 5, read(1, 7))],
    ],
    ['a read of the initial value after a write', [at(0, 1, write(7, 1)), at(2, 3, read(0, 0))]],
    ['a read of a value that was never written', [at(0, 1, write(7, 1)), at(2, 3, read(1, 9))]],
    ['a read of a value that is written later', [at(0, 1, read(1, 7)), at(2, 3, write(7, 1))]],
    ['two reads that saw two writes in different orders', [at(0, 9, write(7, 1)), at(1, 2, read(1, 7)), at(3, 4, read(0, 0))]],
    ['two writes of one version', [at(0, 5, write(7, 1)), at(0, 5, write(8, 1))]],
    ['a skipped version', [at(0, 1, write(7, 2))]],
    ['two successful compare-and-sets from one version', [at(0, 5, cas(0, 7, 1)), at(1, 6, cas(0, 8, 1))]],
    [
      'a refused compare-and-set although the version matched',
      [at(0, 1, write(7, 1)), at(2, 3, cas(1, 8, 0)), at(4, 5, read(1, 7))],
    ],
    ['a successful compare-and-set although the version differed', [at(0, 1, write(7, 1)), at(2, 3, cas(0, 8, 2))]],
    ['a lost acknowledged write', [at(0, 1, write(7, 1)), at(2, 3, write(8, 2)), at(4, 5, write(9, 2))]],
    [
      'a write of unknown outcome that is seen and then lost',
      [at(0, NEVER, write(7)), at(1, 2, read(1, 7)), at(3, 4, read(0, 0))],
    ],
    ['a write of unknown outcome that is seen before it began', [at(0, 1, read(1, 7)), at(2, NEVER, write(7))]],
  ])('detects %s', (_, history) => {
    expect(firstFault(REGISTER, history)).toBeDefined()
  })
})

describe('firstFault for a linearizable history', () => {
  it.each<[string, readonly Timed<RegisterOp>[]]>([
    ['an empty history', []],
    ['sequential calls', [at(0, 1, write(7, 1)), at(2, 3, read(1, 7)), at(4, 5, cas(1, 8, 2)), at(6, 7, read(2, 8))]],
    ['a read of the old value during a write', [at(0, 9, write(7, 1)), at(1, 2, read(0, 0))]],
    ['a read of the new value during a write', [at(0, 9, write(7, 1)), at(1, 2, read(1, 7))]],
    [
      'a compare-and-set that was refused during the write that caused the refusal',
      [at(0, 9, cas(0, 7, 1)), at(1, 2, cas(0, 8, 0))],
    ],
    ['a compare-and-set that was refused for a wrong version', [at(0, 1, cas(5, 7, 0)), at(2, 3, read(0, 0))]],
    ['a write of unknown outcome that is never seen', [at(0, NEVER, write(7)), at(1, 2, read(0, 0)), at(3, 4, write(8, 1))]],
    ['a write of unknown outcome that is seen late', [at(0, NEVER, write(7)), at(1, 2, read(0, 0)), at(3, 4, read(1, 7))]],
    ['a call that begins when another ends', [at(0, 1, write(7, 1)), at(1, 2, read(0, 0))]],
  ])('accepts %s', (_, history) => {
    expect(firstFault(REGISTER, history)).toBeUndefined()
  })
})

/** Tries every order. */
function couldBe<S, O>(model: Model<S, O>, state: S, left: readonly Timed<O>[]): boolean {
  const needed = left.filter(({ end }) => end !== NEVER)
  if (needed.length === 0) return true
  const firstEnd = Math.min(...left.map(({ end }) => end))
  return left.some((call) => {
    if (call.start > firstEnd) return false
    const after = model.step(state, call.op)
    return (
      after !== undefined &&
      couldBe(
        model,
        after,
        left.filter((timed) => timed !== call),
      )
    )
  })
}

it('firstFault finds a history of calls linearizable exactly if a search through every order of the calls does', () => {
  const op: fc.Arbitrary<RegisterOp> = fc.oneof(
    fc.record({ kind: fc.constant('read' as const), version: fc.nat(3), value: fc.nat(2) }),
    fc.record({
      kind: fc.constant('write' as const),
      value: fc.integer({ min: 1, max: 2 }),
      version: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    }),
    fc.record({
      kind: fc.constant('cas' as const),
      expected: fc.nat(2),
      value: fc.integer({ min: 1, max: 2 }),
      version: fc.option(fc.nat(3), { nil: undefined }),
    }),
  )
  const call = fc.record({ op, start: fc.nat(12), takes: fc.nat(8), lost: fc.nat(5) }).map(({ op, start, takes, lost }) => ({
    op,
    start,
    // The outcome of a call is known if its end was seen.
    end: lost === 0 || op.version === undefined ? NEVER : start + takes,
  }))
  let possible = 0
  fc.assert(
    fc.property(fc.array(call, { maxLength: 6 }), (history) => {
      const expected = couldBe(REGISTER, REGISTER.initial, history)
      if (expected) possible++
      expect(firstFault(REGISTER, history) === undefined).toBe(expected)
    }),
    { numRuns: RUNS * 20 },
  )
  expect(possible).toBeGreaterThan(RUNS)
})

it('firstFault finds one wrong read among tens of thousands of calls', () => {
  const history: Timed<RegisterOp>[] = []
  for (let n = 1; n <= 10_000; n++) {
    // Each call overlaps with several others.
    history.push(at(n * 10, n * 10 + 9, write(n, n)), at(n * 10 - 4, n * 10 + 35, read(n, n)))
    history.push(at(n * 10 + 1, n * 10 + 28, cas(0, 1, 0)))
  }
  expect(firstFault(REGISTER, history)).toBeUndefined()
  const wrong = at(77_777, 77_779, read(7775, 7775))
  expect(firstFault(REGISTER, [...history, wrong])).toBeDefined()
})

describe('a read with bounded staleness', () => {
  const writes = [at(0, 10, write(7, 1)), at(100, 110, write(8, 2))]
  const reading = (start: number, op: RegisterOp & { kind: 'read' }) => [{ start, end: start + 5, op }]

  it.each<[string, number, RegisterOp & { kind: 'read' }]>([
    ['the current value', 200, read(2, 8)],
    ['a value that was overwritten within the bound', 150, read(1, 7)],
    ['the initial value within the bound after the first write', 50, read(0, 0)],
    ['a value that is being written', 98, read(2, 8)],
  ])('is allowed to return %s', (_, start, op) => {
    expect(firstOutdated(reading(start, op), writes, 50)).toBeUndefined()
  })

  it.each<[string, number, RegisterOp & { kind: 'read' }]>([
    ['a value that was overwritten before the bound', 161, read(1, 7)],
    ['the initial value later than the bound after the first write', 61, read(0, 0)],
    ['a value that was never written', 200, read(2, 9)],
    ['a value whose write has not begun', 50, read(2, 8)],
  ])('is not allowed to return %s', (_, start, op) => {
    expect(firstOutdated(reading(start, op), writes, 50)).toBeDefined()
  })
})

describe('writes whose outcome is unknown, in the history of several processes', () => {
  const by = 'exact' as const
  const seen = (start: number, end: number, op: RegisterOp): Event => ({ register: 0, by, start, end, op })
  /** Infinity as JSON transports it. */
  const lost = (start: number, op: RegisterOp): Event => seen(start, Number.MAX_VALUE, op)
  const calls = Array.from({ length: 500 }, (_, at) => [
    seen(at * 10, at * 10 + 5, write(at + 1, at + 1)),
    lost(at * 10 + 1, write(1000 + at)),
    lost(at * 10 + 2, cas(at, 2000 + at)),
    seen(at * 10 + 6, at * 10 + 9, read(at + 1, at + 1)),
  ]).flat()

  it('are checked quickly even if many of them never took effect', () => {
    expect(faultOf(calls, 0, 0)).toBeUndefined()
    expect(faultOf([...calls, seen(6000, 6001, read(499, 499))], 0, 0)).toBeDefined()
  })

  it('explain a version that no other call wrote, if there are enough of them', () => {
    expect(faultOf([...calls, seen(6000, 6001, write(9, 502))], 0, 0)).toBeUndefined()
    expect(faultOf([...calls, seen(6000, 6001, write(9, 501)), seen(6002, 6003, write(8, 501))], 0, 0)).toBeDefined()
    const few = calls.filter(({ op }) => op.version !== undefined)
    expect(faultOf([...few, seen(6000, 6001, write(9, 502))], 0, 0)).toBeDefined()
  })
})
