/**
 * Deletes the content of a removed namespace, in bounded commits.
 *
 * A commit in a namespace fails if the namespace's record is missing. So nothing can be added after the commit that removes the record.
 */
import { ALIAS, ENTITY } from '../../core/access/identity/entity.ts'
import { OTHER_CLUSTER_LEASES } from '../../core/access/lease/other-clusters.ts'
import { retireMount } from '../../core/access/lease/retire-mount.ts'
import { PASSWORD_POLICY } from '../../core/access/password/policy.ts'
import { POLICY } from '../../core/access/policies.ts'
import { revokeStoredToken } from '../../core/access/token/revoke.ts'
import { ACCESSOR } from '../../core/access/token/token.ts'
import { isLocal, type MountRecord } from '../../core/contract/mount-record.ts'
import { NAMESPACE } from '../../core/contract/namespace.ts'
import type { RecordKind } from '../../core/contract/record-kind.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { TOPOLOGY } from '../../core/mount/topology.ts'
import { loadAll } from '../../core/transaction/load-all.ts'
import { NAMESPACE_JOB } from '../jobs.ts'
import { dropMigration, MIGRATION } from '../mounts/move-mount.ts'
import { dropPolicy } from '../policies/end-policy.ts'
import { TOKEN_ROLE } from '../token/token-role.ts'

/**
 * The number of records other than tokens and mounts per commit. Deleting a record together with the background work that is scheduled for it
 * needs two writes.
 */
const RECORDS_PER_COMMIT = 48
/** The number of tokens per commit. Revoking one needs up to five writes. */
const TOKENS_PER_COMMIT = 16
const MOUNTS_PER_COMMIT = 32

// biome-ignore lint/suspicious/noExplicitAny: records are deleted without decoding them.
const RECORDS: readonly RecordKind<any>[] = [PASSWORD_POLICY, ENTITY, ALIAS, TOKEN_ROLE]

// biome-ignore lint/suspicious/noExplicitAny: records are deleted without decoding them.
const DUE_RECORDS: readonly (readonly [RecordKind<any>, (tx: Tx, id: string) => void])[] = [
  [POLICY, dropPolicy],
  [MIGRATION, dropMigration],
]

/**
 * Deletes records up to the limit of one commit, and schedules the next run if records may remain. A secondary deletes only its own
 * records, because replication deletes the replicated ones. A path filter may exclude a namespace from a secondary and later include it
 * again, so the job stops if the namespace exists again.
 */
export function clearNamespace(tx: Tx, namespace: string): void {
  if (tx.get(NAMESPACE, namespace)) return
  const follows = OTHER_CLUSTER_LEASES.find(tx)?.follows() === true
  const more =
    clearTokens(tx, namespace) ||
    (!follows && (clearDue(tx, namespace) || clearRecords(tx, namespace))) ||
    clearMounts(tx, namespace, follows ? isLocal : isAny)
  if (more) tx.due('housekeeping', `${NAMESPACE_JOB}/${namespace}`, { to: tx.now })
}

function clearTokens(tx: Tx, namespace: string): boolean {
  const accessors = tx.listAbandoned(ACCESSOR, `${namespace}/`, TOKENS_PER_COMMIT)
  const tokens = loadAll(accessors, (accessor) => tx.get(ACCESSOR, `${namespace}/${accessor}`)?.token)
  loadAll(tokens, (token) => token !== undefined && revokeStoredToken(tx, token))
  // If a token was removed before its accessor, only the accessor is left.
  for (const accessor of accessors) tx.delete(ACCESSOR, `${namespace}/${accessor}`)
  return accessors.length > 0
}

/** Deletes records for which background work is scheduled, and cancels that work. */
function clearDue(tx: Tx, namespace: string): boolean {
  for (const [kind, drop] of DUE_RECORDS) {
    const ids = tx.listAbandoned(kind, `${namespace}/`, RECORDS_PER_COMMIT)
    loadAll(ids, (id) => drop(tx, `${namespace}/${id}`))
    if (ids.length > 0) return true
  }
  return false
}

function clearRecords(tx: Tx, namespace: string): boolean {
  for (const kind of RECORDS) {
    const ids = tx.listAbandoned(kind, `${namespace}/`, RECORDS_PER_COMMIT)
    for (const id of ids) tx.delete(kind, `${namespace}/${id}`)
    if (ids.length > 0) return true
  }
  return false
}

const isAny = (): boolean => true

function clearMounts(tx: Tx, namespace: string, isMine: (mount: MountRecord) => boolean): boolean {
  const topology = TOPOLOGY.of(tx)
  tx.once('topology', () => topology.reload(), 'attempt')
  const mounts = topology.recordsIn(namespace).filter(isMine).slice(0, MOUNTS_PER_COMMIT)
  loadAll(mounts, ({ uuid }) => {
    const mount = topology.holder(uuid)
    if (mount) retireMount(tx, mount.record, mount.engine)
  })
  return mounts.length > 0
}
