/**
 * The rest of becoming a secondary: what the cluster held is cleared away, in commits of bounded size, then it begins anew. Whoever
 * opens the store after a crash goes on.
 */
import { ALL, ENDINGS, NO_ENDINGS } from '../../../core/access/lease/ending.ts'
import { BATCH_KEY, BATCH_KEY_BYTES } from '../../../core/access/token/batch-token.ts'
import { KernelError } from '../../../core/base/errors.ts'
import { MOUNT } from '../../../core/contract/mount-record.ts'
import { ROOT_NAMESPACE } from '../../../core/contract/namespace.ts'
import { type RecordKind, type SecretKind, withFormat } from '../../../core/contract/record-kind.ts'
import { BUILT_IN_MOUNTS, mountRecord, SALT, SALT_BYTES, SALT_KEY } from '../../../core/kernel/first-records.ts'
import { begunAnew } from '../../../core/kernel/lifecycle.ts'
import { LOG, logEntryKey } from '../../../core/log/frame.ts'
import type { Op } from '../../../core/storage/port.ts'
import { keyOf } from '../../../core/transaction/core-key.ts'
import { checksOf } from '../../../core/transaction/writes.ts'
import type { Center } from '../center.ts'
import { newestEntry } from '../log/log-pages.ts'
import { roleConflict } from '../membership.ts'
import { clearBelow } from '../state/clear-below.ts'
import { type Kind, PERFORMANCE } from '../state/kind.ts'
import { type Relation, Sheet, unbuilt } from '../state/records.ts'
import type { SetHost } from '../state/set-host.ts'
import { putSecret } from '../state/set-keys.ts'
import { changeRole } from './change-role.ts'
import { BATCH_KEY_AT, batchKeyIn, type StandIns } from './stand-ins.ts'

const setAt = ({ joining }: Kind): string => `${joining.key}/set`

const identityAt = ({ joining }: Kind): string => `${joining.key}/identity`

const standInsAt = ({ joining }: Kind): Sheet<StandIns> => new Sheet(`${joining.key}/stand-ins`)

/** The keys and names that the primary gives to a joining cluster. */
export interface Given {
  readonly setKey: Uint8Array
  readonly identity: Uint8Array
  readonly standIns: StandIns | undefined
}

export const joiningOps = (host: SetHost, relation: Relation, { setKey, identity, standIns }: Given): readonly Op[] => [
  host.kind.joining.put(host.store, relation),
  host.store.sealed(setAt(host.kind), setKey, undefined),
  host.store.sealed(identityAt(host.kind), identity, undefined),
  ...(standIns ? [standInsAt(host.kind).put(host.store, standIns)] : []),
]

/** Everything that left with the records it was about: theirs, guards of their folders, and what replication kept before. */
const clearedFor = (kind: Kind): readonly string[] => [
  'r/',
  'l/',
  'i/guard/',
  ...[kind, PERFORMANCE].flatMap(({ tree, checkpoints, seen, quarantine, inspection }) => [
    tree,
    checkpoints,
    seen,
    quarantine,
    inspection,
  ]),
]

/** What was heard before, and the count of what was kept apart. */
const keptOfBefore = (kind: Kind): readonly string[] => [
  ...new Set([kind, PERFORMANCE].flatMap(({ heard, lostBefore }) => [heard.key, lostBefore.key])),
]

const MANNER = { applies: { upstream: undefined } } as const

/** {@link finishJoining}, behind whoever changes the role in this process. */
export async function resumeJoining(center: Center): Promise<void> {
  if (center.membership.mode === 'bootstrapping') await changeRole(center, () => finishJoining(center))
}

/** Does nothing unless the cluster is becoming a secondary. */
export async function finishJoining(center: Center): Promise<void> {
  const { membership, host } = center
  if (membership.mode !== 'bootstrapping') return
  const isDone = await finish(center)
  // Where another process was first, the role has been read anew.
  if (!isDone && membership.mode === 'bootstrapping') throw roleConflict()
  membership.doubt()
  await begunAnew(center.insides)
  await center.settle()
  host.events.say('replication.mode_changed', { kind: host.kind.name, mode: 'secondary' })
}

/** False after a conflict: nothing is cleared away any more when another process has finished. */
async function finish({ membership, host }: Center): Promise<boolean> {
  const { store, kind } = host
  const role = store.commits.roleFence
  const clearing = { also: checksOf([role]), manner: MANNER }
  for (const prefix of clearedFor(kind)) if (!(await clearBelow(host, prefix, clearing))) return false
  const newest = await newestEntry(store)
  if (!(await clearBelow(host, `${LOG}/`, { ...clearing, keep: logEntryKey(newest) }))) return false
  const { value, version } = await kind.joining.read(store)
  const [set, identity] = await store.getMany([setAt(kind), identityAt(kind)])
  const { value: standIns } = await standInsAt(kind).read(store)
  await store.commits.loadRole()
  if (store.commits.roleVersion !== role.version) return false
  if (!value || !set || !identity) throw new KernelError('ERR_INTERNAL', 'the record of what this cluster joins is missing')
  const { ok } = await store.commit(
    [
      membership.roleOp({ mode: 'secondary', epoch: 0, origin: '' }),
      { op: 'del', key: kind.joining.key, expect: version },
      ...[setAt(kind), identityAt(kind), standInsAt(kind).key, ...keptOfBefore(kind)].map((key) => ({ op: 'del', key }) as const),
      membership.relationOp(value),
      putSecret(host, 'set', set.value),
      putSecret(host, 'identity', identity.value),
      ...freshRecords(host, standIns),
      kind.following.put(store, { applied: 0, differs: true, fuzzy_until: null, lost: 0 }),
      // The tree is made of what is here now.
      kind.folded.put(store, { ...unbuilt(newest), index: 0 }),
    ],
    MANNER,
  )
  for (const bytes of [set.value, identity.value]) bytes.fill(0)
  return ok
}

/**
 * The records that every open kernel needs, so that requests find `sys/`; tokens of before are gone. Mounts and the key of batch tokens
 * have the names and the bytes of the primary's, which come with the first synchronization: tokens that are made until then stay good.
 */
function freshRecords({ store, env: { entropy } }: SetHost, standIns: StandIns | undefined): readonly Op[] {
  const put = <T>(kind: RecordKind<T>, id: string, value: T): Op =>
    store.sealed(keyOf(kind, id), withFormat(kind.format, kind.encode(value)), undefined)
  const secret = (kind: SecretKind, key: string, bytes: Uint8Array): Op => {
    const stored = withFormat(kind.format, bytes)
    const op = store.sealed(key, stored, undefined)
    for (const wiped of [bytes, stored]) wiped.fill(0)
    return op
  }
  const mounts = BUILT_IN_MOUNTS.map((initial) => {
    const named = standIns?.mounts.find(({ path }) => path === initial.path)
    return { ...mountRecord(entropy, ROOT_NAMESPACE, initial), ...(named && { uuid: named.uuid, accessor: named.accessor }) }
  })
  return [
    ...mounts.map((mount) => put(MOUNT, mount.uuid, mount)),
    put(ENDINGS, ALL, NO_ENDINGS),
    secret(SALT, SALT_KEY, entropy.bytes(SALT_BYTES)),
    secret(BATCH_KEY, BATCH_KEY_AT, standIns ? batchKeyIn(standIns) : entropy.bytes(BATCH_KEY_BYTES)),
  ]
}
