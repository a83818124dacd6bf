/** The stored records of replication. */
import { fromUtf8, toUtf8 } from '../../../core/base/bytes.ts'
import { toHex } from '../../../core/base/identifiers.ts'
import { withFormat } from '../../../core/contract/record-kind.ts'
import type { Position } from '../../../core/log/role.ts'
import type { Op } from '../../../core/storage/port.ts'
import type { Host } from '../../../core/transaction/host.ts'
import type { Store } from '../../../core/transaction/store.ts'
import { type History, lastOf } from './history.ts'

/**
 * Whose writes a secondary may forward. `policies`: only writes of callers with a token. `app`: also writes of the secondary's application.
 */
export type Forward = 'policies' | 'app'

/** A secondary's stored information about its primary. */
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

/** Written by a primary that steps down. Its epoch has no records after `index`. */
export interface StepDownCertificate {
  readonly epoch: number
  readonly index: number
  readonly root: string
  /** The id of the secondary that received the certificate. No other secondary gets this certificate. */
  readonly claimed?: string
}

/** The membership of this cluster in a set. */
export interface Relation {
  /** UUID of the set. */
  readonly set: string
  readonly history: History
  /**
   * The name of this cluster in messages between members: 16 hexadecimal digits. It changes when the cluster deletes its data to join a
   * set.
   */
  readonly name: string
  /** The highest epoch of the set that this cluster has followed, begun, or seen proof of. */
  readonly max_epoch: number
  /**
   * The highest epoch that was ever used, if an operator has since decided for a primary with a lower one. If absent, it is `max_epoch`. No
   * epoch number is used twice.
   */
  readonly used_epoch?: number
  /** Identifies the stored key that proves the epoch after `origin`. The key is kept when the secondary is assigned another primary. */
  readonly succession?: { readonly origin: string; readonly id: string }
  readonly primary_cluster_addr: string
  /** Absent on a primary, and on a secondary without a primary. */
  readonly upstream?: UpstreamRecord
  readonly certificate?: StepDownCertificate
  /** On a DR secondary: the value of `gaps` in the role of its primary, which the usage counters already allow for. */
  readonly gaps?: number
  /** The role that a DR secondary takes over together with this record. */
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

/** A primary's stored information about a secondary. */
export interface Peer {
  readonly id: string
  /** The accessor of the activation token. It invalidates older tokens when an id is used again after a revocation. */
  readonly accessor?: string
  /** The public key in hexadecimal; absent until the activation. */
  readonly key?: string
  readonly forward: Forward
  /** The time, in milliseconds, at which the activation token was issued. */
  readonly issued: number
  /** The time, in milliseconds, until which the secondary must send its first hello; absent afterwards. */
  readonly until?: number
  /** Absent if the secondary receives everything. */
  readonly filter?: PathsFilter
  /** The filter view: a random id, replaced whenever the filter changes or is deleted. Absent if the secondary never had a filter. */
  readonly view?: string
}

/** A record with a fixed key that is not replicated: encrypted JSON. */
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

/** How far the log is folded into the Merkle tree. */
export interface TreeProgress {
  /** The last log entry that is in the tree. */
  readonly entry: number
  /** The number of operations of the next log entry that are already in the tree. */
  readonly partialOps: number
  /** The index of the entry `entry` in the set's history. */
  readonly index: number
  /**
   * The number of the log entry before the oldest one that is kept. `bytes` is the total size of the entries after `first`, up to `entry`.
   */
  readonly first: number
  readonly bytes: number
  /** The index of the newest replicated record in the tree. */
  readonly replicated?: number
  /** The root over all domains, in hexadecimal. */
  readonly root: string
  /** The tree is not a valid state of the store before this entry. */
  readonly validFrom: number
  /** Set until the tree has been built from the store. */
  readonly building?: true
  /** Log entries up to this one are removed as soon as they are in the tree, whatever their age. */
  readonly removeUpTo?: number
}

/** The initial progress of a tree that has not been built from the store yet. The log begins after `entry`. */
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
  /** The index up to which the primary has acknowledged its records. */
  readonly acknowledged?: number
  /** The time of the report, in milliseconds. */
  readonly at: number
}

/**
 * The number of records that the cluster discarded in its former roles. {@link ReplicaProgress} counts the records that are discarded in
 * the present role.
 */
export interface LostBefore {
  readonly lost: number
}

/** How far a secondary has followed its primary. */
export interface ReplicaProgress {
  /** The last applied index. */
  readonly applied: number
  /** Whether all records must be compared with the primary. */
  readonly differs: boolean
  /** Once this index is applied, the data is a consistent state of the primary. Null if the index is not known yet. */
  readonly consistentFrom: number | null
  /** The number of records that existed only on a lost primary and that this cluster discarded. */
  readonly lost: number
  /** The filter view under which the data was received, as in {@link Peer.view}. */
  readonly view?: string
  /** Set if the filter excludes records. */
  readonly partial?: true
  /** The index of the last scope change. Everything after this index must be, or has been, compared. */
  readonly scopeChangedAt?: number
  /** Set if whole domains were or are being removed, so that the log may still contain them. */
  readonly removing?: true
  /** On a DR secondary: the position of its primary in the performance set, as of the applied index. */
  readonly served?: Position
  /** Set if a primary has stepped down but has not recorded its last position yet. With `certified`, it then writes a certificate. */
  readonly steppingDown?: 'certified' | 'fenced'
}
