/** As `every-field.test.ts`, with more values for each member; the soak tier tries all of them. */
import { describe, it } from 'vitest'
import { runs } from '../../fixtures/runs.ts'
import { KINDS } from '../failovers/kinds.ts'
import { liesOfPrimary, liesOfSecondary } from './every-field.ts'

/** Values for each member. */
const EACH = { ofSecondary: runs({ quick: 8, soak: 23 }), ofPrimary: runs({ quick: 6, soak: 23 }) }

describe.each(KINDS.map((kind) => [kind.name, kind] as const))('%s', (_name, kind) => {
  it('a secondary that lies in one member of a message changes no other cluster', () => liesOfSecondary(kind, EACH.ofSecondary))

  it('a secondary whose primary lies in one member of an answer can be promoted', () => liesOfPrimary(kind, EACH.ofPrimary))
})
