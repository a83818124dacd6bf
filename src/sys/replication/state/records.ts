/** The types of the records that replication stores. */
import { fromUtf8, toUtf8 } from '../../../core/base/bytes.ts'
import { toHex } from '../../../core/base/identifiers.ts'
import { withFormat } from '../../../core/contract/record-kind.ts'
import type { Position } from '../../../core/log/role.ts'
import type { Op } from '../../../core/storage/port.ts'
import type { Host } from '../../../core/transaction/host.ts'
import type { Store } from '../../../core/transaction/store.ts'
import { type History, lastOf } from './history.ts'

/**
 * Which writes a secondary may forward. `policies`: only writes of callers with a token, checked against the primary's policies. `app`:
 * also writes of the secondary's application.
 */
export type Forward = 'policies' | 'app'

/** The information that a secondary stores about its primary. */
export interface UpstreamRecord {
  /** The id of this secondary on the primary. */
  readonly id: string
  /** The primary's public key, in hexadecimal. */
  readonly key: string
  /** The last known addresses of the primary's kernels. At first this is the address in the token. */
  readonly addresses: readonly string[]
  readonly api_address: string
  readonly forward: Forward
}

/** A record that a primary writes when it steps down. It certifies that the epoch has no records after `index`. */
export interface StepDownCertificate {
  readonly epoch: number
  readonly index: number
  readonly root: string
  /** The id of the secondary that has claimed the certificate. No other secondary can claim it afterwards. */
  readonly claimed?: string
}

/** The membership of this cluster in a replication set. */
export interface Relation {
  /** The UUID of the set. */
  readonly set: string
  readonly history: History
  /**
   * The name of this cluster in messages between members: 16 hexadecimal digits. It changes when the cluster deletes its data to join a
   * set.
   */
  readonly name: string
  /** The number of the highest epoch that this cluster has followed, has begun, or has seen proven. */
  readonly max_epoch: number
  /**
   * The highest epoch number that was ever used. Present only if it is higher than `max_epoch`, because an operator later chose a primary
   * with a lower epoch. Kept so that no epoch number is used twice.
   */
  readonly used_epoch?: number
  /**
   * Identifies the stored key with which this cluster can prove an epoch that follows the epoch `origin`. `id` is the id that this cluster
   * had as a secondary in the epoch `origin`. The key is kept when the secondary is assigned another primary.
   */
  readonly succession?: { readonly origin: string; readonly id: string }
  readonly primary_cluster_addr: string
  /** The primary that this secondary follows. Absent on a primary, and on a secondary that follows no primary. */
  readonly upstream?: UpstreamRecord
  readonly certificate?: StepDownCertificate
  /**
   * On a DR secondary: the number of gaps in the primary's counts of key uses. The counters of this cluster already take these gaps into
   * account.
   */
  readonly gaps?: number
  /**
   * Only in the record of performance replication: the role of this cluster. A DR secondary copies this record, so it knows the role after a
   * promotion.
   */
  readonly mode?: 'primary' | 'secondary'
}

/** The number of the next epoch that a cluster begins. */
export const nextEpoch = ({ max_epoch, used_epoch = 0, history }: Relation): number =>
  Math.max(max_epoch, used_epoch, lastOf(history).epoch) + 1

const NAME_BYTES = 8

export const newName = ({ env }: Host): string => toHex(env.entropy.bytes(NAME_BYTES))

/** A path filter: the secondary receives only the listed paths, or everything except them. */
export interface PathsFilter {
  readonly mode: 'allow' | 'deny'
  /** Paths of mounts and namespaces, from the root namespace, with a trailing slash. */
  readonly paths: readonly string[]
}

/** The information that a primary stores about a secondary. */
export interface Peer {
  readonly id: string
  /**
   * The accessor of the activation token. Tokens with another accessor are refused, so an older token for the same id cannot be used after
   * the id was revoked and assigned again.
   */
  readonly accessor?: string
  /** The public key in hexadecimal; absent until the activation. */
  readonly key?: string
  readonly forward: Forward
  /** The time, in milliseconds, at which the activation token was issued. */
  readonly issued: number
  /** The time, in milliseconds, until which the secondary must send its first hello; absent afterwards. */
  readonly until?: number
  /** The path filter; absent if the secondary receives everything. */
  readonly filter?: PathsFilter
  /** The filter view: a random id, replaced whenever the filter changes or is deleted. Absent if the secondary never had a filter. */
  readonly view?: string
}

/** A record under a fixed key. It is encrypted JSON and is not replicated. */
export class RecordSlot<T> {
  readonly key: string

  constructor(key: string) {
    this.key = key
  }

  async read(store: Store): Promise<{ readonly value: T | undefined; readonly version: number }> {
    const [found] = await store.getMany([this.key])
    return found ? { value: decodeSlot<T>(found.value), version: found.version } : { value: undefined, version: 0 }
  }

  put(store: Store, value: T, expect?: number): Op {
    return store.encryptedPut(this.key, withFormat(1, toUtf8(JSON.stringify(value))), expect)
  }
}

export const decodeSlot = <T>(stored: Uint8Array): T => JSON.parse(fromUtf8(stored.subarray(1))) as T

/** The position up to which the log is folded into the Merkle tree, that is, applied to it. */
export interface TreeProgress {
  /** The number of the last log entry that is completely in the tree. */
  readonly entry: number
  /** The number of operations of the next log entry that are already in the tree. */
  readonly partialOps: number
  /** The log index, in the set, of the log entry `entry`. */
  readonly index: number
  /**
   * The number of the log entry before the oldest entry that is kept. `bytes` is the total size of the entries after `first` up to `entry`.
   */
  readonly first: number
  readonly bytes: number
  /** The index of the newest replicated record in the tree. */
  readonly replicated?: number
  /** The root over all domains, in hexadecimal. */
  readonly root: string
  /** The tree must not be used until it contains all log entries up to this number. */
  readonly validFrom: number
  /** Present until the tree has been built from the store. */
  readonly building?: true
  /** Log entries up to this number are removed as soon as they are in the tree, even if they are recent. */
  readonly removeUpTo?: number
}

/**
 * Returns the progress of a tree that has not been built from the store yet. The build covers all log entries up to `entry`, so the next
 * entry is the first one to apply to the tree.
 */
export const unbuiltTree = (entry: number): TreeProgress => ({
  entry,
  partialOps: 0,
  index: entry,
  first: entry,
  bytes: 0,
  root: '0'.repeat(40),
  validFrom: Number.MAX_SAFE_INTEGER,
  building: true,
})

/** The position that the primary last reported. */
export interface HeardHead {
  /** The origin of the primary's epoch. */
  readonly origin: string
  readonly head: number
  /** The index up to which the primary has acknowledged records to its clients. */
  readonly acknowledged?: number
  /** The time of the report, in milliseconds. */
  readonly at: number
}

/**
 * The number of records that this cluster discarded in its former roles. {@link ReplicaProgress} contains the number for the current role.
 */
export interface LostBefore {
  readonly lost: number
}

/** The state of a secondary that follows its primary. */
export interface ReplicaProgress {
  /** The index of the last applied record. */
  readonly applied: number
  /** Whether all records must be compared with the primary. */
  readonly differs: boolean
  /** The data is a consistent state of the primary when `applied` has reached this index. Null if the index is not known yet. */
  readonly consistentFrom: number | null
  /** The number of records that this cluster discarded because the primary that it follows does not have them. */
  readonly lost: number
  /** The filter view under which the data was received, as in {@link Peer.view}. */
  readonly view?: string
  /** Present if the path filter of this secondary excludes any records. */
  readonly partial?: true
  /** The index of the last change of the path filter's scope. All records must be compared, or were compared, after this change. */
  readonly scopeChangedAt?: number
  /**
   * Present if whole domains are being removed or were removed. The log of this cluster can then still contain records of these domains.
   */
  readonly removing?: true
  /** On a DR secondary: the position of its primary in the performance set, as of the applied index. */
  readonly served?: Position
  /**
   * Present if the cluster was a primary and stepped down but has not recorded its last position yet. If `certified`, it writes a
   * certificate together with the position.
   */
  readonly steppingDown?: 'certified' | 'fenced'
}
