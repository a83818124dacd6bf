/**
 * The records of replication.
 */
import { fromUtf8, toUtf8 } from '../../../core/base/bytes.ts'
import { toHex } from '../../../core/base/identifiers.ts'
import { withFormat } from '../../../core/contract/record-kind.ts'
import type { Position } from '../../../core/log/role.ts'
import type { Op } from '../../../core/storage/port.ts'
import type { Host } from '../../../core/transaction/host.ts'
import type { Store } from '../../../core/transaction/store.ts'
import { type History, lastOf } from './history.ts'

/** Whom a secondary's application may write as: never, or as the primary's application. */
export type Forward = 'policies' | 'app'

/** What a secondary knows of its primary. */
export interface Upstream {
  /** The secondary's id, as the primary knows it. */
  readonly id: string
  /** The primary's public key, in hexadecimal. */
  readonly key: string
  /** Where its kernels were last reached; the first is the one that the token named. */
  readonly addresses: readonly string[]
  readonly api_address: string
  readonly forward: Forward
}

/** Written by a primary that steps down: nothing of its epoch comes behind it. */
export interface Certificate {
  readonly epoch: number
  readonly index: number
  readonly root: string
  /** The secondary that it was given to: nobody else gets it. */
  readonly claimed?: string
}

/** The cluster's part in a set. */
export interface Relation {
  /** UUID of the set. */
  readonly set: string
  readonly history: History
  /** Names this cluster where members tell of each other: 16 hexadecimal digits, made anew when it clears what it held. */
  readonly name: string
  /** The highest epoch of the set that this cluster has followed, begun, or seen proof of. */
  readonly max_epoch: number
  /** The highest epoch before an operator decided for a primary with a lower one; absent: `max_epoch`. No epoch is begun twice. */
  readonly used_epoch?: number
  /** The secondary's key for epochs after that of `origin`, which is kept since it has been given another primary. */
  readonly succession?: { readonly origin: string; readonly id: string }
  readonly primary_cluster_addr: string
  /** Absent on a primary, and on a secondary that knows none. */
  readonly upstream?: Upstream
  readonly certificate?: Certificate
  /** Of a secondary for disaster recovery: what the `gaps` of its primary's role are, which its counters allow for. */
  readonly gaps?: number
  /** The part that whoever takes this cluster over for disaster recovery takes with it. */
  readonly mode?: 'primary' | 'secondary'
}

/** The number of the next epoch that a cluster begins. */
export const nextEpoch = ({ max_epoch, used_epoch = 0, history }: Relation): number =>
  Math.max(max_epoch, used_epoch, lastOf(history).epoch) + 1

const NAME_BYTES = 8

export const newName = ({ env }: Host): string => toHex(env.entropy.bytes(NAME_BYTES))

/** What a secondary is to have: only what is listed, or all but that. */
export interface PathsFilter {
  readonly mode: 'allow' | 'deny'
  /** Of mounts and namespaces, from the root namespace, with a slash at the end. */
  readonly paths: readonly string[]
}

/** What a primary knows of a secondary. */
export interface Peer {
  readonly id: string
  /** Of the activation token, so that a token from before an id was revoked is none for whoever got the id since. */
  readonly accessor?: string
  /** Its public key in hexadecimal; absent until it has been activated. */
  readonly key?: string
  readonly forward: Forward
  /** Milliseconds. */
  readonly issued: number
  /** Milliseconds: until when its secondary has to have come with the key; gone when it has. */
  readonly until?: number
  /** Absent: it has everything. */
  readonly filter?: PathsFilter
  /** Random; another one after each change of the filter, also after one to none. Absent: there never was one. */
  readonly view?: string
}

/** A record of one process or store, which never leaves it: sealed JSON at its key. */
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
    return store.sealed(this.key, withFormat(1, toUtf8(JSON.stringify(value))), expect)
  }
}

export const decodeSlot = <T>(stored: Uint8Array): T => JSON.parse(fromUtf8(stored.subarray(1))) as T

/** How far the log is in the tree. */
export interface TreeProgress {
  /** The last entry of the log that is in the tree. */
  readonly entry: number
  /** Ops of the next record that are, too. */
  readonly partialOps: number
  /** The position in the set's history of that entry. */
  readonly index: number
  /** The oldest entry of the log that is kept, and the bytes from there to `entry`. */
  readonly first: number
  readonly bytes: number
  /** The position of the newest record in it that goes to other clusters. */
  readonly replicated?: number
  /** The root over all domains, in hexadecimal. */
  readonly root: string
  /** The tree is no state of the store before this entry. */
  readonly validFrom: number
  /** What is in the store already is yet to be read into the tree. */
  readonly building?: true
  /** The log up to this entry is removed when it is in the tree, whatever its age. */
  readonly removeUpTo?: number
}

/** A tree that is yet to be made of what the store holds; the log counts from here. */
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

/** How far the primary said last that it had come. */
export interface HeardHead {
  /** Of the epoch that the primary was in. */
  readonly origin: string
  readonly head: number
  /** The index up to which it has acknowledged its records. */
  readonly acknowledged?: number
  /** Milliseconds. */
  readonly at: number
}

/** What this cluster gave up before it was what it is now: its secondary's part has counted it until then. */
export interface LostBefore {
  readonly lost: number
}

/** How far a secondary has followed. */
export interface ReplicaProgress {
  /** The last index that was applied. */
  readonly applied: number
  /** What is held has to be compared with the primary's. */
  readonly differs: boolean
  /** Before this index was applied, what was held was no state of the primary; null: not known yet. */
  readonly consistentFrom: number | null
  /** Records that a lost primary had alone, and that were given up here. */
  readonly lost: number
  /** As of which filter of the primary it is held: as {@link Peer.view}. */
  readonly view?: string
  /** The filter leaves something out. */
  readonly partial?: true
  /** What is to be had changed at this index, and everything is, or was, compared behind it. */
  readonly scopeChangedAt?: number
  /** Parts as a whole were or are being removed, and may be in the log yet. */
  readonly removing?: true
  /** Of a secondary for disaster recovery: how far its primary's part among the clusters that serve had come by then. */
  readonly served?: Position
  /** A primary has stepped down, and how far it had come is not noted yet; whether it then writes a certificate. */
  readonly steppingDown?: 'certified' | 'fenced'
}
