/**
 * The keys of a store in the cluster, all under its prefix:
 *
 * f         the stamp: the name `strongroom` and the format of the store
 * r/key     a record: the slot (see below) of the commit that wrote it, in one byte; a zero byte; the value
 * h/slot    a head: every commit writes the head of its slot, so the newest head has the revision of the store
 * v/id      the verdict of a commit and the keys that the commit wrote; watchers watch all keys below v/
 * l/log     the last index assigned in a log
 * b         the border: a cluster revision; verdicts up to this revision may already have been deleted
 * w         written by transactions that combine several commits, and never read: see {@link sharedTxn}
 *
 * One cluster transaction contains up to {@link SLOTS} commits and has one cluster revision. A commit's revision combines the cluster
 * revision and the commit's slot in one number.
 */
import type { Revision } from '../../core/storage/port.ts'

export const SLOTS = 64

export const revisionOf = (modified: number, slot: number): Revision => modified * SLOTS + slot
/** The cluster revision of a commit. */
export const modifiedOf = (revision: Revision): number => Math.floor(revision / SLOTS)
export const slotOf = (revision: Revision): number => revision % SLOTS

/** A revision that no cluster has reached. A transaction that requests it is refused as a whole. */
export const NEVER = Number.MAX_SAFE_INTEGER

/** The stored form of the border. etcd compares values byte by byte, so all borders have the same length. */
export const borderText = (modified: number): Buffer => Buffer.from(String(modified).padStart(16, '0'))

export const VALUE_AT = 2

/** The stored bytes of a record. */
export function storedBytes(value: Uint8Array, slot: number): Buffer {
  const bytes = Buffer.allocUnsafe(VALUE_AT + value.length)
  bytes[0] = slot
  bytes[1] = 0
  bytes.set(value, VALUE_AT)
  return bytes
}

/**
 * The smallest byte string that is larger than all byte strings with this prefix. The last byte can be incremented, because no byte of
 * UTF-8 is 0xff.
 */
export function endOf(prefix: Buffer): Buffer {
  const end = Buffer.from(prefix)
  end[end.length - 1]!++
  return end
}

export const keyAfter = (key: Buffer): Buffer => Buffer.concat([key, Buffer.from([0])])

export class Layout {
  readonly prefix: string
  readonly stamp: Buffer
  readonly heads: Buffer
  readonly verdicts: Buffer
  readonly written: Buffer
  readonly border: Buffer
  readonly records: Buffer
  readonly #heads: readonly Buffer[]

  constructor(prefix: string) {
    this.prefix = prefix
    this.stamp = this.#key('f')
    this.heads = this.#key('h/')
    this.verdicts = this.#key('v/')
    this.records = this.#key('r/')
    this.written = this.#key('w')
    this.border = this.#key('b')
    this.#heads = Array.from({ length: SLOTS }, (_, slot) => this.#key(`h/${String(slot).padStart(2, '0')}`))
  }

  record(key: string): Buffer {
    return this.#key(`r/${key}`)
  }

  keyOf(record: Buffer): string {
    return record.toString('utf8', this.records.length)
  }

  head(slot: number): Buffer {
    return this.#heads[slot]!
  }

  slotOfHead(head: Buffer): number {
    return Number(head.toString('utf8', this.heads.length))
  }

  verdict(id: string): Buffer {
    return this.#key(`v/${id}`)
  }

  log(log: string): Buffer {
    return this.#key(`l/${log}`)
  }

  #key(rest: string): Buffer {
    return Buffer.from(this.prefix + rest, 'utf8')
  }
}
