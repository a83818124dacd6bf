/** Compares the external secrets of one association with their desired state. */
import { TOPOLOGY } from '../../../core/mount/topology.ts'
import type { Drift } from '../drift.ts'
import type { SyncDescription } from '../port.ts'
import { readAssociationId, readDestinationId, type SyncRow } from '../records.ts'
import type { SyncTransactions } from '../sync-transactions.ts'
import { shownType } from '../types.ts'
import { desiredValueOf, readDesiredState } from './desired-state.ts'
import { PushCalls } from './push-calls.ts'

export interface DriftReport {
  /** The number of external secrets that were compared. */
  readonly checked: number
  readonly drift: readonly Drift[]
}

/**
 * Skips secrets that are being pushed or wait for a push, because these are expected to differ.
 * @throws The error of the external store.
 */
export async function findDrift(transactions: SyncTransactions, id: string): Promise<DriftReport> {
  const found = await transactions.read((tx) => {
    const desired = readDesiredState(tx, id)
    const { destination, mount, path } = readAssociationId(id)
    const { type, name } = readDestinationId(destination)
    const at = { type: shownType(tx.env, type), name, mount: TOPOLOGY.of(tx).holder(mount)?.record.path ?? '', secret_name: path }
    return desired && { desired, at }
  })
  if (!found?.desired.destination || found.desired.association.begun) return { checked: 0, drift: [] }
  const { desired, at } = found
  const { association } = desired
  const pushing = new PushCalls(id, desired, { env: transactions.env, signal: transactions.env.closing })
  const rows = association.rows.filter(({ name, status }) => name !== '' && status !== 'PENDING')
  const drift: Drift[] = []
  for (const row of rows) {
    const value = desiredValueOf(row, desired)
    const differs = value === undefined ? row.digest !== undefined : row.digest !== pushing.digest(row, value)
    const described = await pushing.describe(row)
    const own = pushing.isOwn(row, described)
    const is = driftOf(row, { isDesired: value !== undefined, differs, isOwn: own }, described)
    if (is === undefined) continue
    drift.push({ ...at, ...(row.key === undefined ? {} : { sub_key: row.key }), external_name: row.name, found: is })
  }
  return { checked: rows.length, drift }
}

interface RowFacts {
  readonly isDesired: boolean
  readonly differs: boolean
  readonly isOwn: boolean
}

function driftOf(
  row: SyncRow,
  { isDesired, differs, isOwn }: RowFacts,
  described: SyncDescription | undefined,
): Drift['found'] | undefined {
  // If no external secret is desired, a secret of another owner with this name does not count as a difference.
  if (!isDesired) return described ? (isOwn ? 'changed' : undefined) : differs ? 'changed' : undefined
  if (described?.exists === false) return 'missing'
  if (described && (described.foreign === true || !isOwn)) return 'unmanaged'
  const { externalVersion } = described ?? {}
  const isOther = externalVersion !== undefined && row.external !== undefined && externalVersion !== row.external
  return differs || isOther ? 'changed' : undefined
}
