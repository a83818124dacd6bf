/**
 * Completes the change to a secondary after `join.ts` has exchanged keys with the primary: deletes the former data in commits of limited size,
 * and then installs the new role. If the process crashes, the next process that opens the store continues.
 */
import { CUTOFFS, CUTOFFS_ID, NO_CUTOFFS } from '../../../core/access/lease/cutoff.ts'
import { BATCH_KEY, BATCH_KEY_BYTES } from '../../../core/access/token/batch-token.ts'
import { KernelError } from '../../../core/base/errors.ts'
import type { CoreRecordKind } from '../../../core/contract/core-record.ts'
import { MOUNT } from '../../../core/contract/mount-record.ts'
import { ROOT_NAMESPACE } from '../../../core/contract/namespace.ts'
import { type SecretKind, withFormat } from '../../../core/contract/record-kind.ts'
import { BUILT_IN_MOUNTS, mountRecord, SALT, SALT_KEY, TOKEN_SALT_BYTES } from '../../../core/kernel/first-records.ts'
import { discardCachedState } from '../../../core/kernel/kernel-lifecycle.ts'
import { LOG, logEntryKey } from '../../../core/log/frame.ts'
import type { Op } from '../../../core/storage/port.ts'
import { coreRecordKey } from '../../../core/transaction/core-key.ts'
import { checksOf } from '../../../core/transaction/pending-writes.ts'
import { newestEntry } from '../log/log-pages.ts'
import { roleConflict } from '../membership.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { deleteBelow } from '../state/delete-below.ts'
import { RecordSlot, type Relation, unbuiltTree } from '../state/records.ts'
import { PERFORMANCE, type ReplicationKind } from '../state/replication-kind.ts'
import type { SetHost } from '../state/set-host.ts'
import { putSecret } from '../state/set-keys.ts'
import { BATCH_KEY_AT, type BootstrapNames, batchKeyIn } from './bootstrap-names.ts'
import { changeRole } from './change-role.ts'

const setKeySlot = ({ joining }: ReplicationKind): string => `${joining.key}/set`

const identitySlot = ({ joining }: ReplicationKind): string => `${joining.key}/identity`

const bootstrapSlot = ({ joining }: ReplicationKind): RecordSlot<BootstrapNames> => new RecordSlot(`${joining.key}/stand-ins`)

/** The keys and names that a joining cluster stores until it has become a secondary. */
export interface JoiningSecrets {
  readonly setKey: Uint8Array
  readonly identity: Uint8Array
  readonly bootstrapNames: BootstrapNames | undefined
}

export const joiningOps = (
  host: SetHost,
  relation: Relation,
  { setKey, identity, bootstrapNames }: JoiningSecrets,
): readonly Op[] => [
  host.kind.joining.put(host.store, relation),
  host.store.encryptedPut(setKeySlot(host.kind), setKey, undefined),
  host.store.encryptedPut(identitySlot(host.kind), identity, undefined),
  ...(bootstrapNames ? [bootstrapSlot(host.kind).put(host.store, bootstrapNames)] : []),
]

/**
 * The prefixes below which everything is deleted: all data records, the guard records of their folders, and the former replication state.
 */
const clearedPrefixes = (kind: ReplicationKind): readonly string[] => [
  'r/',
  'l/',
  'i/guard/',
  ...[kind, PERFORMANCE].flatMap(({ tree, checkpoints, heartbeats, quarantine, inspection }) => [
    tree,
    checkpoints,
    heartbeats,
    quarantine,
    inspection,
  ]),
]

/**
 * Single keys that are also deleted: the last position that the former primary reported, and the number of records that this cluster has
 * discarded.
 */
const staleKeys = (kind: ReplicationKind): readonly string[] => [
  ...new Set([kind, PERFORMANCE].flatMap(({ heard, lostBefore }) => [heard.key, lostBefore.key])),
]

const COMMIT_OPTIONS = { applies: { upstream: undefined } } as const

/** Waits for the pending role changes of this process, and then continues an interrupted {@link finishJoining}. */
export async function resumeJoining(context: ReplicationContext): Promise<void> {
  if (context.membership.mode === 'bootstrapping') await changeRole(context, () => finishJoining(context))
}

/** Deletes the former data and installs the role of a secondary. Does nothing unless the cluster is becoming a secondary. */
export async function finishJoining(context: ReplicationContext): Promise<void> {
  const { membership, host } = context
  if (membership.mode !== 'bootstrapping') return
  const isDone = await clearAndFinish(context)
  // If another process finished first, the role read after the conflict is no longer `bootstrapping`.
  if (!isDone && membership.mode === 'bootstrapping') throw roleConflict()
  membership.invalidate()
  await discardCachedState(context.internals)
  await context.applyRole()
  host.events.publishKernelEvent('replication.mode_changed', { kind: host.kind.name, mode: 'secondary' })
}

/**
 * Deletes the former data and commits the new role. Returns false after a conflict. Every delete checks the role, so nothing more is
 * deleted after another process has finished.
 */
async function clearAndFinish({ membership, host }: ReplicationContext): Promise<boolean> {
  const { store, kind } = host
  const role = store.commits.roleFence
  const clearing = { also: checksOf([role]), manner: COMMIT_OPTIONS }
  for (const prefix of clearedPrefixes(kind)) if (!(await deleteBelow(host, prefix, clearing))) return false
  const newest = await newestEntry(store)
  if (!(await deleteBelow(host, `${LOG}/`, { ...clearing, keep: logEntryKey(newest) }))) return false
  const { value, version } = await kind.joining.read(store)
  const [set, identity] = await store.getMany([setKeySlot(kind), identitySlot(kind)])
  const { value: bootstrapNames } = await bootstrapSlot(kind).read(store)
  await store.commits.loadRole()
  if (store.commits.roleVersion !== role.version) return false
  if (!value || !set || !identity)
    throw new KernelError('ERR_INTERNAL', 'the stored data for joining a replication set is missing')
  const { ok } = await store.commit(
    [
      membership.roleOp({ mode: 'secondary', epoch: 0, origin: '' }),
      { op: 'del', key: kind.joining.key, expect: version },
      ...[setKeySlot(kind), identitySlot(kind), bootstrapSlot(kind).key, ...staleKeys(kind)].map(
        (key) => ({ op: 'del', key }) as const,
      ),
      membership.relationOp(value),
      putSecret(host, 'set', set.value),
      putSecret(host, 'identity', identity.value),
      ...initialRecords(host, bootstrapNames),
      kind.replicaProgress.put(store, { applied: 0, differs: true, consistentFrom: null, lost: 0 }),
      // After this commit, background work builds the Merkle tree from the contents of the store.
      kind.treeProgress.put(store, { ...unbuiltTree(newest), index: 0 }),
    ],
    COMMIT_OPTIONS,
  )
  for (const bytes of [set.value, identity.value]) bytes.fill(0)
  return ok
}

/**
 * Returns the records that every open kernel needs to answer requests below `sys/`: built-in mounts, cutoffs, and new secrets for tokens.
 *
 * Uses the primary's ids of built-in mounts and its batch token key, if the primary sent them. Then tokens that are created before the
 * first sync stay valid after the sync.
 */
function initialRecords({ store, env: { entropy } }: SetHost, bootstrapNames: BootstrapNames | undefined): readonly Op[] {
  const put = <T>(kind: CoreRecordKind<T>, id: string, value: T): Op =>
    store.encryptedPut(coreRecordKey(kind, id), withFormat(kind.format, kind.encode(value)), undefined)
  const secret = (kind: SecretKind, key: string, bytes: Uint8Array): Op => {
    const stored = withFormat(kind.format, bytes)
    const op = store.encryptedPut(key, stored, undefined)
    for (const wiped of [bytes, stored]) wiped.fill(0)
    return op
  }
  const mounts = BUILT_IN_MOUNTS.map((initial) => {
    const named = bootstrapNames?.mounts.find(({ path }) => path === initial.path)
    return { ...mountRecord(entropy, ROOT_NAMESPACE, initial), ...(named && { uuid: named.uuid, accessor: named.accessor }) }
  })
  return [
    ...mounts.map((mount) => put(MOUNT, mount.uuid, mount)),
    put(CUTOFFS, CUTOFFS_ID, NO_CUTOFFS),
    secret(SALT, SALT_KEY, entropy.bytes(TOKEN_SALT_BYTES)),
    secret(BATCH_KEY, BATCH_KEY_AT, bootstrapNames ? batchKeyIn(bootstrapNames) : entropy.bytes(BATCH_KEY_BYTES)),
  ]
}
