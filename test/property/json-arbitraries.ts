/** Random JSON values with details that are easily lost: long integers, unusual names and deep nesting. */
import { anyCharacter } from '../fixtures/any-character.ts'
import fc from '../fixtures/fast-check.ts'

const name = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: anyCharacter, maxLength: 8 }) },
  { weight: 2, arbitrary: fc.constantFrom('a', 'b', 'c', '', '0', '10', '2') },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'toString', 'toJSON', 'length', 'hasOwnProperty', 'ttl') },
)

const scalar = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
  fc.integer(),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 400n }),
  fc.bigInt({ min: -(2n ** 400n), max: -(2n ** 53n) }),
  fc.boolean(),
  fc.constant(null),
)

/** Creates own properties for names such as `__proto__`. */
const objectOf = (value: fc.Arbitrary<unknown>): fc.Arbitrary<Readonly<Record<string, unknown>>> =>
  fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key, maxLength: 6 }).map((members) => Object.fromEntries(members))

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    objectOf(tie('value')),
  ),
}))

export const jsonObject = objectOf(value)

/** Deep equality that ignores the order of members. A whole double beyond 2^53 equals the integer that it is written as. */
export function same(a: unknown, b: unknown): boolean {
  if (isNumber(a) && isNumber(b)) return String(a) === String(b)
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return Object.is(a, b)
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((key) => Object.hasOwn(b, key) && same(part(a, key), part(b, key)))
}

const part = (object: object, key: string): unknown => Object.getOwnPropertyDescriptor(object, key)?.value

const isNumber = (value: unknown): boolean => typeof value === 'number' || typeof value === 'bigint'
