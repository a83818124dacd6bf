/**
 * Performs a turn, which is one synchronization of one association: reads the desired state, then pushes or removes the external secrets of
 * the association one after another.
 */
import type { EffectContext } from '../../../core/contract/effect.ts'
import { type Association, readAssociationId, SYNC_ASSOCIATION, type SyncRow } from '../records.ts'
import { type DesiredState, desiredValueOf, readDesiredState } from './desired-state.ts'
import { FOREIGN, type RowOutcome, type SyncCallFailure, syncFailureOf, type TurnOutcome } from './outcome.ts'
import { PushCalls, type PushId } from './push-calls.ts'
import { sessionsOf } from './sessions.ts'

/** The time limit for one synchronization of an association, in milliseconds. */
export const TURN_MS = 30_000

/** The part of `TURN_MS` that is available for calls to the external store, in milliseconds. The rest is for the kernel's own commits. */
const OUTSIDE_MS = 25_000

/**
 * The maximum number of external secrets (rows) for which one turn calls the external store. Each one needs two calls: `describe`, then
 * `put` or `remove`.
 */
const ROWS_PER_TURN = 32

export interface Turn {
  /** The id of the association. */
  readonly id: string
  /** Whether to push all values again, because the external state may differ from the state in the rows of the association. */
  readonly force: boolean
  /** Whether some keys of the secret have no row in the association yet. */
  readonly more: boolean
  /** Whether this turn is the recovery of an unfinished turn, which may have pushed another value than the current one. */
  readonly again?: true
}

/** Returns undefined if the association was deleted. */
export async function performTurn(turn: Turn, outside: EffectContext): Promise<TurnOutcome | undefined> {
  const { id, force } = turn
  const desired = await outside.read((tx) => readDesiredState(tx, id))
  if (!desired) return undefined
  const { association, now, changes, until } = desired
  const rows = new Map<string, RowOutcome>()
  const pushing = new PushCalls(id, desired, outside, turn.again)
  let more = turn.more
  const asked: SyncRow[] = []
  const leftMs = async (): Promise<number> => OUTSIDE_MS - ((await outside.read((tx) => tx.now)) - now)
  const callMs = async (): Promise<number> => Math.max(1, Math.min(await leftMs(), outside.env.deadline.ms))
  const claim = (row: SyncRow): Promise<void> =>
    outside.saveProgress(turn, (tx) => {
      const found = tx.get(SYNC_ASSOCIATION, id)
      if (!found) return
      const rows = found.rows.map((one) => (one.fold === row.fold ? { ...one, claimed: pushing.location } : one))
      tx.put(SYNC_ASSOCIATION, id, { ...found, rows })
    })
  for (const row of inOrder(association)) {
    if (row.name === '') continue
    const known = decideWithoutCall(row, desired, force, pushing)
    if (known) {
      rows.set(row.fold, known)
      continue
    }
    if (asked.length === ROWS_PER_TURN || (await leftMs()) <= 0) {
      more = true
      break
    }
    const came = await syncRow(row, desired, { pushing, callMs, claim })
    asked.push(came.did === 'put' || (came.did === 'failed' && came.pushed) ? { ...row, claimed: pushing.location } : row)
    rows.set(row.fold, came)
    if (came.did === 'failed' && came.failure.pausesDestination) {
      sessionsOf(outside.env).pause(readAssociationId(id).destination, outside.tick)
      more = true
      break
    }
  }
  return { seq: association.seq, changes, until, rows, asked, accessor: association.accessor, more }
}

/**
 * Sorts the rows. Pushes come before removals, so that a renamed secret exists under at least one name at any time. Among the pushes and
 * among the removals, rows that failed last time come last, so that they do not delay the others.
 */
function inOrder({ rows }: Association): readonly SyncRow[] {
  const rank = ({ gone, status }: SyncRow) => (gone ? 2 : 0) + (status.endsWith('_ERROR') ? 1 : 0)
  return [...rows].sort((a, b) => rank(a) - rank(b))
}

function decideWithoutCall(row: SyncRow, desired: DesiredState, force: boolean, pushing: PushCalls): RowOutcome | undefined {
  const isDesired = !desired.association.gone && !row.gone
  if (isDesired && typeof desired.values === 'string') return failedWithoutCall('client')
  const value = desiredValueOf(row, desired)
  if (value === undefined && !force && row.digest === undefined && row.tried === undefined) return { did: 'removed' }
  if (!desired.destination) return failedWithoutCall('internal')
  if (value === undefined) return undefined
  if (pushing.isTooLong(value)) return failedWithoutCall('client')
  return !force && row.digest === pushing.digest(row, value) ? { did: 'kept' } : undefined
}

interface RowCalls {
  readonly pushing: PushCalls
  /** Returns the time limit of the next call in milliseconds. */
  readonly callMs: () => Promise<number>
  /** Commits a claim: sets `SyncRow.claimed`, which records that this association is about to create the external secret. */
  readonly claim: (row: SyncRow) => Promise<void>
}

/** Pushes or removes one external secret. Calls `describe` first, so that only secrets of this association are replaced or removed. */
async function syncRow(row: SyncRow, desired: DesiredState, { pushing, callMs, claim }: RowCalls): Promise<RowOutcome> {
  const value = desiredValueOf(row, desired)
  let pushed: PushId | undefined
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
    // Another owner created the secret between `describe` and `put`.
    if (mode === 'create' && !isCreated) return { did: 'failed', failure: FOREIGN, asked: true }
    return { did: 'put', place: pushing.location, ...pushed, ...known }
  } catch (thrown) {
    const failure = syncFailureOf(thrown)
    // Only a failure of kind `external` leaves open whether the secret was created. After any other failure, remove `SyncRow.claimed`.
    const isUnclaimed = claims && failure.kind !== 'external'
    return { did: 'failed', failure, asked: true, isUnclaimed, ...(pushed && { pushed }) }
  }
}

const failedWithoutCall = (kind: SyncCallFailure['kind']): RowOutcome => ({
  did: 'failed',
  asked: false,
  failure: { kind, pausesDestination: false, retryAfterMs: undefined },
})
