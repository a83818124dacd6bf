/** A set stays whole whatever one of its members asserts, in any member of any message; `every-field.slow.test.ts` tries more values. */
import { describe, it } from 'vitest'
import { KINDS } from '../failovers/kinds.ts'
import { liesOfPrimary, liesOfSecondary } from './every-field.ts'

describe.each(KINDS.map((kind) => [kind.name, kind] as const))('%s', (_name, kind) => {
  it('a secondary that lies in one member of a message changes no other cluster', () => liesOfSecondary(kind, 1))

  it('a secondary whose primary lies in one member of an answer can be promoted', () => liesOfPrimary(kind, 1))
})
