/** Like `every-field.test.ts`, with more values for each member. The soak tier tries all of them. */
import { describe, it } from 'vitest'
import { runs } from '../../fixtures/runs.ts'
import { KINDS } from '../failovers/kinds.ts'
import { liesOfPrimary, liesOfSecondary } from './every-field.ts'

/** The number of values for each member. */
const EACH = { ofSecondary: runs({ quick: 8, soak: 23 }), ofPrimary: runs({ quick: 6, soak: 23 }) }

describe.each(KINDS.map((kind) => [kind.name, kind] as const))('%s replication', (_name, kind) => {
  it("changes no other cluster if one member of a secondary's message is false", () => liesOfSecondary(kind, EACH.ofSecondary))

  it("lets a secondary be promoted although one member of its primary's answer was false", () =>
    liesOfPrimary(kind, EACH.ofPrimary))
})
