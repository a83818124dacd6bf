import { describe, expect, it } from 'vitest'
import { compareKeys, fromSortable, toSortable } from '../../../src/core/storage/order.ts'
import { sortedKeys } from '../../../src/core/storage/sorted-keys.ts'
import { anyCharacter } from '../../fixtures/any-character.ts'
import fc from '../../fixtures/fast-check.ts'
import { runs } from '../../fixtures/runs.ts'

/** Strings with many code points that UTF-8 and UTF-16 order differently. */
const text = fc.string({
  unit: fc.oneof(fc.constantFrom('a', '/', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}'), anyCharacter),
  maxLength: 6,
})

describe('the order of keys', () => {
  it('is the order of the UTF-8 bytes', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareKeys(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
      }),
      { numRuns: runs({ quick: 500, soak: 2000 }) },
    )
  })

  it('can be expressed by a sortable form, which has the same length and converts back', () => {
    fc.assert(
      fc.property(text, (a) => {
        expect(toSortable(a)).toHaveLength(a.length)
        expect(fromSortable(toSortable(a))).toBe(a)
      }),
    )
  })
})

describe('sortedKeys', () => {
  it('returns the same keys as a sorted array after any adds and deletes', () => {
    const key = fc.integer({ min: 0, max: 3000 }).map((n) => String(n).padStart(4, '0'))
    const walks = fc.array(fc.record({ add: fc.boolean(), from: key, count: fc.integer({ min: 1, max: 1500 }) }), {
      maxLength: 12,
    })
    fc.assert(
      fc.property(walks, key, (steps, bound) => {
        const keys = sortedKeys()
        const model = new Set<string>()
        for (const { add, from, count } of steps) {
          for (let i = 0; i < count; i++) {
            // A stride that is coprime to the range visits all keys in a scattered order.
            const next = String((Number(from) + i * 1009) % 3001).padStart(4, '0')
            expect(add ? keys.add(next) : keys.delete(next)).toBe(add ? !model.has(next) : model.has(next))
            if (add) model.add(next)
            else model.delete(next)
          }
        }
        const sorted = [...model].sort()
        expect([...keys.from(() => false)]).toEqual(sorted)
        expect([...keys.from((key) => key < bound)]).toEqual(sorted.filter((key) => key >= bound))
        expect(keys.first((key) => key <= bound)).toBe(sorted.find((key) => key > bound))
        expect(keys.last((key) => key < bound)).toBe(sorted.findLast((key) => key < bound))
      }),
      { numRuns: runs({ quick: 15, soak: 200 }) },
    )
  })
})
