import { describe, expect, it } from 'vitest'
import { endedLease, failedLease, type SecretLease } from '../../src/core/access/lease/lease.ts'
import { leaseTtl } from '../../src/core/contract/lease-terms.ts'
import fc from '../fixtures/fast-check.ts'
import { RUNS } from './support.ts'

const seconds = fc.nat({ max: 10_000_000 })
const moment = fc.nat({ max: 2_000_000_000_000 })
const wishes = fc.record({
  increment: seconds,
  terms: fc.record({ ttl: seconds, max_ttl: seconds }),
  issued: moment,
  age: fc.nat({ max: 20_000_000_000 }),
  left: fc.option(fc.integer({ min: -1000, max: 1_000_000_000 }), { nil: null }),
  mount: fc.record({ fallback: fc.integer({ min: 1, max: 10_000_000 }), max: fc.integer({ min: 1, max: 10_000_000 }) }),
})
type LeaseWish = typeof wishes extends fc.Arbitrary<infer T> ? T : never

const ttlOf = ({ age, left, ...rest }: LeaseWish) => {
  const now = rest.issued + age
  try {
    return {
      now,
      until: left === null ? null : now + left,
      ...leaseTtl({ ...rest, now, until: left === null ? null : now + left }),
    }
  } catch (error) {
    return { now, refused: (error as Error).message }
  }
}

describe('leaseTtl', () => {
  it('returns at least one second, and a TTL that ends before the maximum TTL and the end time', () => {
    fc.assert(
      fc.property(wishes, (wish) => {
        const granted = ttlOf(wish)
        const max = Math.min(wish.mount.max, wish.terms.max_ttl || wish.mount.max)
        if ('refused' in granted) {
          const left = Math.floor(wish.issued / 1000) + max - Math.floor(granted.now / 1000)
          expect(left <= 0 || (wish.left !== null && wish.left < 1000)).toBe(true)
          return
        }
        expect(Number.isSafeInteger(granted.ttl)).toBe(true)
        expect(granted.ttl).toBeGreaterThan(0)
        // Times are truncated to seconds before they are compared.
        expect(Math.floor(granted.now / 1000) + granted.ttl).toBeLessThanOrEqual(Math.floor(wish.issued / 1000) + max)
        if (granted.until !== null) expect(granted.now + granted.ttl * 1000).toBeLessThanOrEqual(granted.until)
      }),
      { numRuns: RUNS * 20 },
    )
  })

  it('returns the requested or default TTL, or a shorter one with a warning', () => {
    fc.assert(
      fc.property(wishes, (wish) => {
        const granted = ttlOf({ ...wish, left: null })
        if ('refused' in granted) return
        const requested = wish.increment || wish.terms.ttl || wish.mount.fallback
        expect(granted.ttl).toBeLessThanOrEqual(requested)
        expect(granted.ttl < requested).toBe(granted.warnings.length > 0)
      }),
      { numRuns: RUNS * 20 },
    )
  })

  it('never returns a longer TTL if a shorter one is requested', () => {
    fc.assert(
      fc.property(wishes, fc.integer({ min: 1, max: 1000 }), (wish, less) => {
        const [more, fewer] = [
          ttlOf({ ...wish, increment: wish.increment + less }),
          ttlOf({ ...wish, increment: Math.max(1, wish.increment) }),
        ]
        if ('refused' in more || 'refused' in fewer) expect('refused' in more).toBe('refused' in fewer)
        else expect(fewer.ttl).toBeLessThanOrEqual(Math.max(more.ttl, 1))
      }),
      { numRuns: RUNS * 20 },
    )
  })
})

const LEASE: SecretLease = {
  mount: 'm',
  owner: '',
  issued: 0,
  expires: 1,
  renewed: null,
  renewable: true,
  ttl: 0,
  max_ttl: 0,
  until: null,
  era: 0,
  data: {},
  state: 'live',
  force: false,
  due: 1,
  attempts: 0,
  revokeErr: '',
}

describe('a lease that its engine fails to revoke', () => {
  it('is retried after growing delays, and becomes irrevocable after six attempts or a final error', () => {
    const attempts = fc.array(
      fc.record({ random: fc.double({ min: 0, max: 1, noNaN: true }), final: fc.boolean(), again: fc.boolean() }),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(attempts, moment, (all, start) => {
        let lease = endedLease(LEASE, start, false)
        let now = start
        let stuck = false
        for (const [index, { random, final, again }] of all.entries()) {
          lease = failedLease(lease, { revokeErr: 'x'.repeat(1000), final }, now, random)
          stuck ||= final || index + 1 >= 6
          expect(lease.state).toBe(stuck ? 'irrevocable' : 'ending')
          expect(lease.attempts).toBe(index + 1)
          expect(lease.revokeErr.length).toBe(240)
          const wait = lease.due - now
          if (stuck) expect(wait).toBe(3_600_000)
          else expect(Math.abs(wait - 10_000 * 2 ** index)).toBeLessThanOrEqual(5000 * 2 ** index)
          if (again) lease = endedLease(lease, now, false)
          expect(lease.state).not.toBe('live')
          now = lease.due
        }
      }),
      { numRuns: RUNS * 5 },
    )
  })
})
