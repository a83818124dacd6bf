import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { KernelError } from '../../../src/core/base/errors.ts'
import { snapshotJson } from '../../../src/core/exchange/snapshot.ts'
import { parseJsonNow } from '../../../src/core/json/json.ts'
import { anyCharacter } from '../../fixtures/any-character.ts'
import fc from '../../fixtures/fast-check.ts'

const LIMIT = 1_000_000

const copy = (value: unknown, limit = LIMIT): unknown => {
  const steps = snapshotJson(value, limit)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

const refusal = (value: unknown, limit = LIMIT): KernelError => {
  try {
    copy(value, limit)
  } catch (error) {
    expect(error).toBeInstanceOf(KernelError)
    return error as KernelError
  }
  throw new Error('not refused')
}

describe('snapshotJson', () => {
  it('returns a copy that shares no nested values with the argument', () => {
    const value = { a: [1, { b: 'x' }], c: null, d: true, e: -0.5 }
    const copied = copy(value) as typeof value
    expect(copied).toEqual(value)
    ;(value.a[1] as { b: string }).b = 'changed'
    value.a.push(2)
    expect(copied).toEqual({ a: [1, { b: 'x' }], c: null, d: true, e: -0.5 })
  })

  it('returns the same value as parsing its JSON text', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: anyCharacter }), (value) => {
        const text = JSON.stringify(value)
        // A number beyond 2^53 stays a number, but its text may be parsed as a bigint.
        fc.pre(!/\d{16}/.test(text))
        expect(copy(value)).toEqual(parseJsonNow(new TextEncoder().encode(text)))
      }),
    )
  })

  it('returns undefined for undefined and null', () => {
    expect(copy(undefined)).toBe(undefined)
    expect(copy(null)).toBe(undefined)
  })

  it('omits undefined members of objects, and replaces undefined elements of arrays by null', () => {
    expect(copy({ a: undefined, b: [undefined, 1] })).toEqual({ b: [null, 1] })
    expect(Object.keys(copy({ a: undefined }) as object)).toEqual([])
    // biome-ignore lint/suspicious/noSparseArray: the case in question
    expect(copy([, 1])).toEqual([null, 1])
  })

  it('keeps bigints beyond 2^53 and converts smaller ones to numbers', () => {
    expect(copy([1n, 2n ** 53n, -(2n ** 64n)])).toEqual([1, 2n ** 53n, -(2n ** 64n)])
  })

  it('accepts objects without a prototype and objects of another realm', () => {
    expect(copy(Object.assign(Object.create(null), { a: 1 }))).toEqual({ a: 1 })
    expect(copy(runInNewContext('({ a: [1, { b: 2 }] })'))).toEqual({ a: [1, { b: 2 }] })
  })

  it('copies only own enumerable string names, including __proto__', () => {
    const value = JSON.parse('{"__proto__":{"x":1}}') as object
    Object.defineProperty(value, 'hidden', { value: 1 })
    Object.assign(value, { [Symbol('s')]: 1 })
    const copied = copy(value) as object
    expect(Object.getPrototypeOf(copied)).toBe(Object.prototype)
    expect(Reflect.ownKeys(copied)).toEqual(['__proto__'])
  })

  it('reads every member once, and refuses a toJSON method instead of calling it', () => {
    let reads = 0
    const value = {
      get a() {
        reads++
        return 'x'
      },
    }
    expect(copy(value)).toEqual({ a: 'x' })
    expect(reads).toBe(1)
    expect(refusal({ toJSON: () => 'other' }).message).toContain('function')
  })

  it('replaces lone surrogates by U+FFFD', () => {
    expect(copy({ 'a\ud800': 'b\udc00' })).toEqual({ 'a\ufffd': 'b\ufffd' })
  })

  class Point {
    x = 1
  }
  it.each<[string, unknown]>([
    ['a function', () => 0],
    ['a symbol', Symbol('x')],
    ['a Date', new Date(0)],
    ['a Map', new Map()],
    ['a typed array', new Uint8Array(1)],
    ['an ArrayBuffer', new ArrayBuffer(1)],
    ['an instance', new Point()],
    ['a boxed string', Object('x')],
    ['an inherited object', Object.create({ a: 1 })],
    ['a promise', Promise.resolve()],
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['a bigint beyond a double', 10n ** 400n],
  ])('refuses %s', (_, value) => {
    for (const body of [value, { a: value }, [value]]) expect(refusal(body)).toMatchObject({ status: 400 })
  })

  it('refuses getters and proxies that throw, without their messages', () => {
    const fail = () => {
      throw new Error('hunter2')
    }
    const getter = Object.defineProperty({}, 'a', { get: fail, enumerable: true })
    for (const trap of ['get', 'ownKeys', 'getPrototypeOf'] as const)
      for (const target of [{ a: 1 }, [1]]) {
        if (trap !== 'get' && Array.isArray(target)) continue
        expect(refusal({ a: new Proxy(target, { [trap]: fail }) })).toSatisfy(
          (error: KernelError) => error.status === 400 && error.cause === undefined,
        )
      }
    expect(refusal(getter).message).not.toContain('hunter2')
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    expect(refusal(proxy)).toMatchObject({ status: 400 })
    const lying = new Proxy([], { get: (_, key) => (key === 'length' ? 1.5 : undefined) })
    expect(refusal(lying)).toMatchObject({ status: 400 })
  })

  it('refuses cycles and more than 10,000 levels of nesting', () => {
    const cycle: Record<string, unknown> = { x: 'x'.repeat(1000) }
    cycle['self'] = { again: [cycle] }
    expect(refusal(cycle)).toMatchObject({ status: 400, message: expect.stringContaining('contains itself') })
    expect(refusal(cycle, 100_000_000).message).toContain('contains itself')
    const nested = (levels: number): unknown => {
      let value: unknown[] = []
      for (let i = 1; i < levels; i++) value = [value]
      return value
    }
    expect(() => copy(nested(10_000))).not.toThrow()
    expect(refusal(nested(10_001)).message).toContain('levels')
    const endless: unknown = new Proxy({ a: 1 }, { get: () => endless })
    expect(refusal(endless)).toMatchObject({ status: 400 })
  })

  it('refuses values above the size limit with 413, counting shared members each time', () => {
    expect(refusal({ a: 'x'.repeat(LIMIT) })).toMatchObject({ code: 'ERR_REQUEST_TOO_LARGE', status: 413 })
    const shared = Array.from({ length: 60 }).reduce((inner: unknown) => [inner, inner], 'x')
    expect(refusal(shared)).toMatchObject({ status: 413 })
    expect(refusal(new Array(4_000_000_000))).toMatchObject({ status: 413 })
  })

  it('accepts any value whose JSON text is shorter than the size limit', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const length = JSON.stringify(value).length
        expect(() => copy(value, length + 1)).not.toThrow()
        if (Array.isArray(value) && value.length > 3)
          expect(refusal(value, Math.floor(value.length / 2))).toMatchObject({ status: 413 })
      }),
    )
  })
})
