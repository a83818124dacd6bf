/**
 * A turn at an association: what is live is read, and pushed or removed outside, one row after the other.
 */
import type { Outside } from '../../../core/contract/effect.ts'
import { ASSOCIATION, type Association, type Row, readAssociationId } from '../records.ts'
import { type Failure, FOREIGN, failureOf, type Outcome, type RowOutcome } from './outcome.ts'
import { Pushing, type PushTurn } from './pushing.ts'
import { Sessions } from './sessions.ts'
import { WHOLE } from './value.ts'
import { readWanted, type Wanted } from './wanted.ts'

/** Milliseconds, for all of a turn. */
export const TURN_MS = 30_000

/** What is left of it at the end is for the kernel's own part. */
const OUTSIDE_MS = 25_000

/** Each takes two calls: one looks at the name, one writes. */
const ROWS_PER_TURN = 32

export interface Turn {
  /** The id of the association. */
  readonly id: string
  /** Everything is done anew: what is outside may be something else than rows say. */
  readonly force: boolean
  /** There are keys without a row yet. */
  readonly more: boolean
  /** Of a turn that was left over: what it was asked for then, and what is now, may be two values. */
  readonly again?: true
}

/** Undefined: the association is gone. */
export async function perform(turn: Turn, outside: Outside): Promise<Outcome | undefined> {
  const { id, force } = turn
  const wanted = await outside.look((tx) => readWanted(tx, id))
  if (!wanted) return undefined
  const { association, now, changes, until } = wanted
  const rows = new Map<string, RowOutcome>()
  const pushing = new Pushing(id, wanted, outside, turn.again)
  let more = turn.more
  const asked: Row[] = []
  const leftMs = async (): Promise<number> => OUTSIDE_MS - ((await outside.look((tx) => tx.now)) - now)
  const callMs = async (): Promise<number> => Math.max(1, Math.min(await leftMs(), outside.env.deadline.ms))
  const claim = (row: Row): Promise<void> =>
    outside.advance(turn, (tx) => {
      const found = tx.get(ASSOCIATION, id)
      if (!found) return
      const rows = found.rows.map((one) => (one.fold === row.fold ? { ...one, claimed: pushing.place } : one))
      tx.put(ASSOCIATION, id, { ...found, rows })
    })
  for (const row of inOrder(association)) {
    if (row.name === '') continue
    const known = withoutAsking(row, wanted, force, pushing)
    if (known) {
      rows.set(row.fold, known)
      continue
    }
    if (asked.length === ROWS_PER_TURN || (await leftMs()) <= 0) {
      more = true
      break
    }
    const came = await ask(row, wanted, { pushing, callMs, claim })
    asked.push(came.did === 'put' || (came.did === 'failed' && came.pushed) ? { ...row, claimed: pushing.place } : row)
    rows.set(row.fold, came)
    if (came.did === 'failed' && came.failure.rests) {
      Sessions.of(outside.env).rest(readAssociationId(id).destination, outside.tick)
      more = true
      break
    }
  }
  return { seq: association.seq, changes, until, rows, asked, accessor: association.accessor, more }
}

/** Those that have not failed first, so that one row holds up no others; what is to go last, so that there is no gap. */
function inOrder({ rows }: Association): readonly Row[] {
  const rank = ({ gone, status }: Row) => (gone ? 2 : 0) + (status.endsWith('_ERROR') ? 1 : 0)
  return [...rows].sort((a, b) => rank(a) - rank(b))
}

/** Undefined: nothing is wanted outside. */
function wantedOf(row: Row, { association, values }: Wanted): string | undefined {
  if (association.gone || row.gone || typeof values === 'string') return undefined
  return values.get(row.key ?? WHOLE)
}

function withoutAsking(row: Row, wanted: Wanted, force: boolean, pushing: Pushing): RowOutcome | undefined {
  const isWanted = !wanted.association.gone && !row.gone
  if (isWanted && typeof wanted.values === 'string') return failed('client')
  const value = wantedOf(row, wanted)
  if (value === undefined && !force && row.digest === undefined && row.tried === undefined) return { did: 'removed' }
  if (!wanted.destination) return failed('internal')
  if (value === undefined) return undefined
  if (pushing.isTooLong(value)) return failed('client')
  return !force && row.digest === pushing.digest(row, value) ? { did: 'kept' } : undefined
}

interface Asking {
  readonly pushing: Pushing
  /** Milliseconds that the next call may take. */
  readonly callMs: () => Promise<number>
  /** Commits that the row's name is about to be created. */
  readonly claim: (row: Row) => Promise<void>
}

/** Looks first: what is replaced and removed has to be the association's own. */
async function ask(row: Row, wanted: Wanted, { pushing, callMs, claim }: Asking): Promise<RowOutcome> {
  const value = wantedOf(row, wanted)
  let pushed: PushTurn | undefined
  let claims = false
  try {
    const description = await pushing.describe(row, await callMs())
    if (value === undefined) {
      if (pushing.isOwn(row, description)) await pushing.remove(row, await callMs())
      return { did: 'removed' }
    }
    const mode = pushing.modeOf(row, description)
    if (!mode) return { did: 'failed', failure: FOREIGN, asked: true }
    claims = pushing.needsClaim(row, mode, description)
    if (claims) await claim(row)
    pushed = pushing.turnOf(row, value)
    const { isCreated, ...known } = await pushing.put(row, value, pushed, mode, await callMs())
    // Something foreign came between looking and writing.
    if (mode === 'create' && !isCreated) return { did: 'failed', failure: FOREIGN, asked: true }
    return { did: 'put', place: pushing.place, ...pushed, ...known }
  } catch (thrown) {
    const failure = failureOf(thrown)
    // Only after a failure of the store itself may the secret have been created all the same.
    const isUnclaimed = claims && failure.kind !== 'external'
    return { did: 'failed', failure, asked: true, isUnclaimed, ...(pushed && { pushed }) }
  }
}

const failed = (kind: Failure['kind']): RowOutcome => ({
  did: 'failed',
  asked: false,
  failure: { kind, rests: false, retryAfterMs: undefined },
})
