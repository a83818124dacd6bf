/**
 * Plans the rows of an association: the recorded states of its external secrets, one for each. The association owns an external name from
 * the commit that adds the row until the external secret has been removed.
 */
import { alreadyExists, KernelError } from '../../../core/base/errors.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { loadAll } from '../../../core/transaction/load-all.ts'
import { EXTERNAL_NAME, type SyncRow, type SyncStatus } from '../records.ts'
import { type ExternalName, externalName, type NameInputs } from './external-name.ts'

/** The maximum number of new names that one commit assigns to the association. */
const PER_COMMIT = 32

interface PlannedRows {
  readonly rows: readonly SyncRow[]
  /** Whether some of the requested keys have no row yet. */
  readonly more: boolean
}

interface RowPlanRequest {
  /** The id of the association. */
  readonly association: string
  readonly naming: NameInputs
  /** The keys of the secret. `undefined` means the secret as a whole. */
  readonly keys: readonly (string | undefined)[]
  /**
   * Whether to compute all names again and throw for an invalid one. If false, rows keep their names, and invalid names become failed rows.
   */
  readonly renames: boolean
}

export const nameId = (destination: string, fold: string): string => `${destination}/${fold}`

/** Returns the identical object if the row already has the status. */
export const withRowStatus = (row: SyncRow, status: SyncStatus, now: number): SyncRow =>
  row.status === status ? row : { ...row, status, updated: now }

/** @throws KernelError 400 if `renames` is set and a name is invalid or belongs to another association. */
export function plannedRows(tx: Tx, before: readonly SyncRow[], request: RowPlanRequest): PlannedRows {
  const { naming, keys, renames } = request
  const byKey = new Map(before.filter(({ gone }) => !gone).map((row) => [row.key, row]))
  const kept: SyncRow[] = []
  const open: { readonly key: string | undefined; readonly external: ExternalName | KernelError }[] = []
  for (const key of keys) {
    const row = byKey.get(key)
    if (row && row.name !== '' && !renames) kept.push(row)
    else open.push({ key, external: named(naming, key, renames) })
  }
  const used = new Set(kept.map(({ fold }) => fold))
  const byFold = new Map(before.filter(({ name }) => name !== '').map((row) => [row.fold, row]))
  const fresh = open.flatMap(({ external }) => (external instanceof KernelError || byFold.has(external.fold) ? [] : [external]))
  const taking = new Set(fresh.slice(0, PER_COMMIT))
  const others = ownedByOthers(tx, request, [...taking])
  for (const { key, external } of open) {
    if (external instanceof KernelError) {
      kept.push(nameless(tx, byKey.get(key), key))
      continue
    }
    const own = byFold.get(external.fold)
    if (!own && !taking.has(external)) continue
    if (used.has(external.fold) || others.has(external)) {
      if (renames) throw isTaken(external)
      kept.push(nameless(tx, byKey.get(key), key))
      continue
    }
    used.add(external.fold)
    if (own) kept.push(revived(own, key, external))
    else {
      tx.put(EXTERNAL_NAME, nameId(naming.destination, external.fold), { association: request.association })
      kept.push({ ...withKey(key), ...external, status: 'PENDING', updated: tx.now, turn: 0 })
    }
  }
  const left = before.filter(({ name, fold }) => name !== '' && !used.has(fold)).map((row): SyncRow => ({ ...row, gone: true }))
  return { rows: [...kept, ...left], more: fresh.length > taking.size }
}

function named(naming: NameInputs, key: string | undefined, strict: boolean): ExternalName | KernelError {
  try {
    return externalName(naming, key)
  } catch (thrown) {
    if (strict || !(thrown instanceof KernelError)) throw thrown
    return thrown
  }
}

/** Returns the names that other associations own. */
function ownedByOthers(
  tx: Tx,
  { association, naming }: RowPlanRequest,
  names: readonly ExternalName[],
): ReadonlySet<ExternalName> {
  const owners = loadAll(names, ({ fold }) => tx.get(EXTERNAL_NAME, nameId(naming.destination, fold)))
  return new Set(names.filter((_, index) => (owners[index]?.association ?? association) !== association))
}

const withKey = (key: string | undefined) => (key === undefined ? {} : { key })

function revived({ gone: _, key: __, ...row }: SyncRow, key: string | undefined, external: ExternalName): SyncRow {
  return { ...row, ...withKey(key), ...external }
}

/** Returns a failed row, without a name, for a key that has no valid external name. */
function nameless(tx: Tx, before: SyncRow | undefined, key: string | undefined): SyncRow {
  if (before && before.name === '') return withRowStatus(before, 'CLIENT_SIDE_ERROR', tx.now)
  return { ...withKey(key), name: '', fold: '', status: 'CLIENT_SIDE_ERROR', updated: tx.now, turn: 0 }
}

const isTaken = ({ name }: ExternalName): KernelError =>
  alreadyExists(`secret_name: another association of the destination has the external name ${name.slice(0, 200)}`)
