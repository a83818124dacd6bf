import { CUTOFFS, CUTOFFS_ID, NO_CUTOFFS } from '../access/lease/cutoff.ts'
import { BATCH_KEY, BATCH_KEY_BYTES, BATCH_KEY_OWNER } from '../access/token/batch-token.ts'
import { rootRecord } from '../access/token/root-token.ts'
import { ACCESSOR, TOKEN } from '../access/token/token.ts'
import { newAccessor, newCubbyholeId, newServiceToken, TokenSalt } from '../access/token/token-id.ts'
import type { Entropy } from '../base/entropy.ts'
import { toHex, uuid } from '../base/identifiers.ts'
import { type CoreRecordKind, type CoreSecretKind, coreRecord } from '../contract/core-record.ts'
import { AUTH_MOUNT_PREFIX, type MountRecord, mountKind } from '../contract/mount-record.ts'
import { type NamespaceRecord, ROOT_NAMESPACE } from '../contract/namespace.ts'
import { withFormat } from '../contract/record-kind.ts'
import { BARRIER_ENCRYPTIONS, IN_USE } from '../seal/rotation.ts'
import type { Op } from '../storage/port.ts'
import { coreRecordKey } from '../transaction/core-key.ts'
import type { Host } from '../transaction/host.ts'
import type { ClusterIdentity } from './cluster.ts'

/** The salt for the hashes of tokens and accessors, stored at `l/core/salt/token`. */
export const SALT: CoreSecretKind = { class: 'l', folder: 'salt', format: 1 }

export const TOKEN_SALT_BYTES = 32

/** The record kind of the cluster's identity, which is stored at `i/core/cluster/identity`. Each store belongs to exactly one cluster. */
export const CLUSTER = /* @__PURE__ */ coreRecord<ClusterIdentity>({ class: 'i', folder: 'cluster' })

export const SALT_KEY = /* @__PURE__ */ coreRecordKey(SALT, 'token')

export const CLUSTER_KEY = /* @__PURE__ */ coreRecordKey(CLUSTER, 'identity')

/** A mount of a fresh store or namespace. */
export interface InitialMount {
  readonly path: string
  readonly type: string
  readonly description: string
  readonly options?: Readonly<Record<string, string>>
  readonly local?: true
}

/** The mounts of every new namespace. */
export const BUILT_IN_MOUNTS: readonly InitialMount[] = [
  { path: 'cubbyhole/', type: 'cubbyhole', description: 'per-token private secret storage', local: true },
  { path: 'identity/', type: 'identity', description: 'identity store' },
  { path: 'sys/', type: 'system', description: 'system endpoints used for control, policy and debugging' },
  { path: 'auth/token/', type: 'token', description: 'token based credentials' },
]

export function mountRecord(entropy: Entropy, namespace: NamespaceRecord, initial: InitialMount): MountRecord {
  const { path, type, description, options = null, local = false } = initial
  return {
    uuid: uuid(entropy.bytes(16)),
    type,
    path,
    accessor: newMountAccessor(entropy, path, type),
    namespace: namespace.uuid,
    description,
    local,
    seal_wrap: false,
    options,
    config: {
      default_lease_ttl: 0,
      max_lease_ttl: 0,
      force_no_cache: false,
      ...(path.startsWith(AUTH_MOUNT_PREFIX) ? { token_type: 'default-service' as const } : {}),
    },
  }
}

/** Returns a new accessor: `<type>_` and 8 hexadecimal digits, or for an auth method `auth_<type>_` and 8 digits. */
export const newMountAccessor = (entropy: Entropy, path: string, type: string): string =>
  `${path.startsWith(AUTH_MOUNT_PREFIX) ? 'auth_' : ''}${type}_${toHex(entropy.bytes(4))}`

/** Creates the records of a new store. @returns The writes that store them, and the root token, which is shown only once. */
export function firstRecords(
  { store, env }: Host,
  now: number,
  extra: readonly InitialMount[],
): { ops: readonly Op[]; rootToken: string } {
  const { entropy, crypto } = env
  const put = <T>(kind: CoreRecordKind<T>, id: string, value: T): Op =>
    store.encryptedPut(coreRecordKey(kind, id), withFormat(kind.format, kind.encode(value)), 0)
  const secret = (kind: CoreSecretKind, id: string, bytes: Uint8Array): Op => {
    const stored = withFormat(kind.format, bytes)
    const op = store.encryptedPut(coreRecordKey(kind, id), stored, 0)
    for (const wiped of [bytes, stored]) wiped.fill(0)
    return op
  }
  const mounts = [...BUILT_IN_MOUNTS, ...extra].map((initial) => mountRecord(entropy, ROOT_NAMESPACE, initial))
  const tokenMount = mounts.find(({ type }) => type === 'token') as MountRecord
  const salt = entropy.bytes(TOKEN_SALT_BYTES)
  const ids = new TokenSalt()
  ids.load(crypto, salt)
  const rootToken = newServiceToken(entropy, ROOT_NAMESPACE)
  const record = rootRecord(newAccessor(entropy, ROOT_NAMESPACE), newCubbyholeId(entropy), tokenMount.uuid, now)
  const id = ids.id(rootToken)
  const ops = [
    ...mounts.map((mount) => put(mountKind(mount), mount.uuid, mount)),
    put(TOKEN, id, record),
    put(ACCESSOR, `${ROOT_NAMESPACE.uuid}/${ids.id(record.accessor)}`, { accessor: record.accessor, token: id }),
    put(CUTOFFS, CUTOFFS_ID, NO_CUTOFFS),
    put(BARRIER_ENCRYPTIONS, IN_USE, { term: 1, count: 0 }),
    put(CLUSTER, 'identity', { id: uuid(entropy.bytes(16)), name: `cluster-${toHex(entropy.bytes(4))}` }),
    secret(SALT, 'token', salt),
    secret(BATCH_KEY, `${BATCH_KEY_OWNER}/1`, entropy.bytes(BATCH_KEY_BYTES)),
  ]
  ids.forget()
  return { ops, rootToken }
}
