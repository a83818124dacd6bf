import { describe, expect, it } from 'vitest'
import { countedFields } from './operation-cases.ts'
import { describeOperations } from './operations-run.ts'
import { unwatched } from './stretch.ts'

describeOperations({ 'with many members and long strings': { many: 2000, long: 1 << 16 } }, 3, unwatched)

describe('a list or map with 100,001 members', () => {
  const tooMany = [
    Array.from({ length: 100_001 }, () => 'a'),
    Object.fromEntries(Array.from({ length: 100_001 }, (_, i) => [i, 'a'])),
  ]

  it.each(countedFields())('is refused by %s before its members are validated', (_, field) => {
    for (const value of tooMany) expect(() => field.coerce(value, 'field')).toThrow(/must (contain at most \d+ entries|be)/)
    expect(() => field.coerce(tooMany[field.schema['type'] === 'array' ? 0 : 1], 'field')).toThrow(
      /must contain at most \d+ entries/,
    )
  })
})
