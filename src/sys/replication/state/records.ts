/**
 * The records of replication.
 */
import { fromUtf8, toUtf8 } from '../../../core/base/bytes.ts'
import { toHex } from '../../../core/base/identifiers.ts'
import { jsonRecord, type SecretKind, withFormat } from '../../../core/contract/record-kind.ts'
import type { Op } from '../../../core/storage/port.ts'
import { keyOf } from '../../../core/transaction/core-key.ts'
import type { Host } from '../../../core/transaction/host.ts'
import type { Store } from '../../../core/transaction/store.ts'
import type { History } from './history.ts'

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

/** The cluster's part in the set, at `l/core/replication/performance`. */
export interface Relation {
  /** UUID of the set. */
  readonly set: string
  readonly history: History
  /** Names this cluster where members tell of each other: 16 hexadecimal digits, made anew when it clears what it held. */
  readonly name: string
  /** The highest epoch ever heard of. */
  readonly max_epoch: number
  readonly primary_cluster_addr: string
  /** Absent on a primary, and on a secondary that knows none. */
  readonly upstream?: Upstream
  readonly certificate?: Certificate
}

export const RELATION = /* @__PURE__ */ jsonRecord<Relation>({ class: 'l', folder: 'replication' })

export const RELATION_KEY = /* @__PURE__ */ keyOf(RELATION, 'performance')

const NAME_BYTES = 8

export const newName = ({ env }: Host): string => toHex(env.entropy.bytes(NAME_BYTES))

/** What a primary knows of a secondary, at `l/core/replication-peer/<id>`. */
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
}

export const PEER = /* @__PURE__ */ jsonRecord<Peer>({ class: 'l', folder: 'replication-peer', guarded: true })

/** Key bytes: `set`, `identity` and `candidate`, at `l/core/replication-secret/<name>`. */
export const SECRET: SecretKind = { class: 'l', folder: 'replication-secret', format: 1 }

export const secretKey = (name: 'set' | 'identity' | 'candidate'): string => keyOf(SECRET, name)

/** A record of one process or store, which never leaves it: sealed JSON at its key. */
export class Sheet<T> {
  readonly key: string

  constructor(key: string) {
    this.key = key
  }

  async read(store: Store): Promise<{ readonly value: T | undefined; readonly version: number }> {
    const [found] = await store.getMany([this.key])
    return found ? { value: decode<T>(found.value), version: found.version } : { value: undefined, version: 0 }
  }

  put(store: Store, value: T, expect?: number): Op {
    return store.sealed(this.key, withFormat(1, toUtf8(JSON.stringify(value))), expect)
  }
}

export const decode = <T>(stored: Uint8Array): T => JSON.parse(fromUtf8(stored.subarray(1))) as T

/** How far the log is in the tree. */
export interface Folded {
  /** The last entry of the log that is in the tree. */
  readonly entry: number
  /** Ops of the next record that are, too. */
  readonly within: number
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
  readonly soundFrom: number
  /** What is in the store already is yet to be read into the tree. */
  readonly building?: true
}

export const FOLDED = /* @__PURE__ */ new Sheet<Folded>('i/replication/folded')

/** Roots at positions that all clusters note, at `i/replication/checkpoint/<index>`. */
export const CHECKPOINTS = 'i/replication/checkpoint/'

/** How far a secondary has followed. */
export interface Following {
  /** The last index that was applied. */
  readonly applied: number
  /** What is held has to be compared with the primary's. */
  readonly differs: boolean
  /** Before this index was applied, what was held was no state of the primary; null: not known yet. */
  readonly fuzzy_until: number | null
  /** Records that a lost primary had alone, and that were given up here. */
  readonly lost: number
  /** A primary has stepped down, and how far it had come is not noted yet; whether it then writes a certificate. */
  readonly stepping?: 'certified' | 'fenced'
}

export const FOLLOWING = /* @__PURE__ */ new Sheet<Following>('i/replication/following')

export const TREE = 'i/replication/tree/r/'
