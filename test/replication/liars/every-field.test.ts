/** A set stays intact whatever one of its members asserts in any member of any message. `every-field.slow.test.ts` tries more values. */
import { describe, it } from 'vitest'
import { KINDS } from '../failovers/kinds.ts'
import { liesOfPrimary, liesOfSecondary } from './every-field.ts'

describe.each(KINDS.map((kind) => [kind.name, kind] as const))('%s replication', (_name, kind) => {
  it("changes no other cluster if one member of a secondary's message is false", () => liesOfSecondary(kind, 1))

  it("lets a secondary be promoted although one member of its primary's answer was false", () => liesOfPrimary(kind, 1))
})
