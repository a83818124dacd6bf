/** The last commit of a turn (one synchronization of one association): records the results of the turn, and when the next turn is due. */
import type { Entropy } from '../../../core/base/entropy.ts'
import { KernelError } from '../../../core/base/errors.ts'
import { reportFailure } from '../../../core/contract/failed-work.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { type ShownAssociations, shownAssociations, shownSecrets } from '../association/shown.ts'
import { itemOf } from '../items.ts'
import { scheduleChange } from '../outbox.ts'
import {
  type Association,
  type DestinationEnding,
  EXTERNAL_NAME,
  readAssociationId,
  SYNC_ASSOCIATION,
  SYNC_DESTINATION,
  SYNC_OUTBOX,
  type SyncRow,
  secretId,
} from '../records.ts'
import { dropAssociation, putAssociation, withStatuses } from './associations.ts'
import { type RowOutcome, STATUS_OF, type SyncCallFailure, type TurnOutcome } from './outcome.ts'
import type { Turn } from './perform.ts'
import { nameId, withRowStatus } from './rows.ts'
import { emitStatusChange } from './status-events.ts'

const INITIAL_BACKOFF_MS = 1000
const MAX_BACKOFF_MS = 300_000

export function finishTurn(tx: Tx, { id }: Turn, outcome: TurnOutcome | undefined): ShownAssociations {
  const { destination, ...secret } = readAssociationId(id)
  const found = tx.get(SYNC_ASSOCIATION, id)
  if (!found || !outcome) return shownAssociations(tx, destination, {})
  const { begun: _, due: __, ...before } = found
  // If the desired state has changed since this synchronization read it, the rows still get the new external state, but another
  // synchronization starts at once.
  const isOver = isSuperseded(found, tx.get(SYNC_OUTBOX, secretId(secret))?.seq ?? 0, outcome)
  const rows = before.rows.flatMap((row) => {
    const came = outcome.rows.get(row.fold)
    const after = came && row.name !== '' ? rowAfter(tx, row, came, isOver) : row
    if (!after || !isDone(after, before, came, isOver)) return after ? [after] : []
    tx.delete(EXTERNAL_NAME, nameId(destination, row.fold))
    return []
  })
  const ending = before.gone ? tx.get(SYNC_DESTINATION, destination)?.ending : undefined
  const failures = [...outcome.rows.values()].flatMap((came) => (came.did === 'failed' ? [came.failure] : []))
  if (before.gone && (rows.length === 0 || isLeftBehind(ending, failures))) {
    const gone = withStatuses(before, 'UNSYNCED', tx.now)
    dropAssociation(tx, id, { ...before, rows })
    emitStatusChange(tx, id, found, gone)
    return shownAssociations(tx, destination, shownSecrets(tx, id, gone))
  }
  if (ending === 'purge' && failures.some(({ kind }) => kind === 'client')) liftPurge(tx, destination)
  const after = scheduled(tx, wholeStatus({ ...before, rows }, tx.now), outcome, failures, isOver)
  if (after.attempts > 0 && after.due !== undefined) {
    const error = new KernelError('ERR_UPSTREAM', 'the external store failed; the call will be retried')
    reportFailure(tx, { lane: 'sync', id: itemOf('association', id), error, attempt: after.attempts, due: after.due })
  }
  putAssociation(tx, id, after)
  if (!after.gone && outcome.until !== undefined) scheduleChange(tx, secretId(secret), outcome.until)
  if (!isOver) emitStatusChange(tx, id, found, after)
  return shownAssociations(tx, destination, shownSecrets(tx, id, after))
}

/**
 * Whether the desired state has changed since the turn (the synchronization) with this outcome read it.
 * @param changes The current `OutboxEntry.seq`.
 */
const isSuperseded = (association: Association, changes: number, outcome: TurnOutcome): boolean =>
  association.seq !== outcome.seq || changes !== outcome.changes

/** Returns the row (the recorded state of one external secret) with the result of the synchronization. */
function rowAfter(tx: Tx, row: SyncRow, came: RowOutcome, isOver: boolean): SyncRow {
  const { refused: _, ...unrefused } = row
  const { digest: __, ...unsure } = unrefused
  switch (came.did) {
    case 'kept':
      return withRowStatus(unrefused, isOver ? 'PENDING' : 'SYNCED', tx.now)
    case 'put': {
      const { external, adopt, ...rest } = unrefused
      const { digest, turn, tags } = came
      const known = {
        ...rest,
        digest,
        tried: digest,
        turn,
        tags,
        claimed: came.place,
        ...(came.external === undefined ? {} : { external: came.external }),
      }
      return withRowStatus(known, isOver ? 'PENDING' : 'SYNCED', tx.now)
    }
    case 'removed': {
      const { tried, external, tags, claimed, ...nothing } = unsure
      // Increment the number after a removal, too, so that a later push of the same value has a new `opId`.
      return withRowStatus({ ...nothing, turn: row.turn + 1 }, isOver ? 'PENDING' : 'UNSYNCED', tx.now)
    }
    case 'failed': {
      const { pushed, failure, asked, isUnclaimed } = came
      // The failed push may have taken effect, so the external value is unknown: drop the digest.
      const doubtful = pushed ? { ...unsure, tried: pushed.digest, turn: pushed.turn } : { ...unsure, tried: row.tried ?? '' }
      const { claimed, ...unclaimed } = asked ? doubtful : unrefused
      const isClaimed = claimed !== undefined && !failure.isForeign && !isUnclaimed
      const after: SyncRow = {
        ...unclaimed,
        ...(isClaimed && { claimed }),
        ...(failure.isForeign && { refused: 'not_owned' }),
      }
      return withRowStatus(after, isOver ? 'PENDING' : STATUS_OF[failure.kind], tx.now)
    }
  }
}

/** Whether the row can be deleted, because its external secret was removed and is no longer desired. */
function isDone(row: SyncRow, { gone, granularity }: Association, came: RowOutcome | undefined, isOver: boolean): boolean {
  if (gone && row.name === '') return true
  if (came?.did !== 'removed') return false
  return gone === true || row.gone === true || (granularity === 'secret-key' && !isOver)
}

/**
 * Whether to abandon external secrets that could not be removed: after any failure, if a request with `force_delete` deletes the
 * destination; after a refusal by the external store, if the namespace of the destination was deleted, because then no operator can correct
 * the configuration of the destination.
 */
function isLeftBehind(ending: DestinationEnding | undefined, failures: readonly SyncCallFailure[]): boolean {
  if (ending === 'force') return failures.length > 0
  return ending === 'namespace' && failures.some(({ kind }) => kind === 'client')
}

function liftPurge(tx: Tx, destination: string): void {
  const found = tx.get(SYNC_DESTINATION, destination)
  if (!found) return
  const { ending: _, ...lifted } = found
  tx.put(SYNC_DESTINATION, destination, lifted)
}

/** If the association has no rows, returns it with the status UNSYNCED; otherwise returns it unchanged. */
function wholeStatus(association: Association, now: number): Association {
  if (association.rows.length > 0 || association.status === 'UNSYNCED') return association
  return { ...association, status: 'UNSYNCED', updated: now }
}

function scheduled(
  tx: Tx,
  association: Association,
  { more }: TurnOutcome,
  failures: readonly SyncCallFailure[],
  isOver: boolean,
): Association {
  if (isOver) return { ...association, attempts: 0, due: tx.now }
  const passing = failures.filter(({ kind }) => kind !== 'client')
  if (passing.length === 0) return { ...association, attempts: 0, ...(more && { due: tx.now }) }
  const attempts = association.attempts + 1
  const asked = Math.max(0, ...passing.map(({ retryAfterMs = 0 }) => retryAfterMs))
  return { ...association, attempts, due: tx.now + (asked || backOffMs(attempts, tx.env.entropy)) }
}

/**
 * Returns a random delay in milliseconds. Its maximum is 1 second after the first failed attempt, and doubles with each attempt up to 5
 * minutes.
 */
export function backOffMs(attempts: number, entropy: Entropy): number {
  const most = Math.min(INITIAL_BACKOFF_MS * 2 ** (attempts - 1), MAX_BACKOFF_MS)
  const [a = 0, b = 0, c = 0] = entropy.bytes(3)
  return 1 + Math.floor((most * (a * 65_536 + b * 256 + c)) / 16_777_216)
}
