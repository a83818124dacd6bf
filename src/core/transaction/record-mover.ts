/**
 * Moves records to other keys, for migrations of the store format. The size of commits is bounded, and the migration may be interrupted
 * after any commit.
 */
import { UnknownTermError } from '../barrier/barrier.ts'
import { KernelError } from '../base/errors.ts'
import { Pace, SLICE_BYTES, type Steps } from '../base/steps.ts'
import { MAX_COMMIT_OPS } from '../storage/max-commit-ops.ts'
import { valueBytes } from '../storage/pages.ts'
import type { Entry, Op } from '../storage/port.ts'
import type { Upgrade } from './format-step.ts'
import type { Store } from './store.ts'

/** Each commit also writes the stamp, the record that contains the store's format. */
const MAX_RECORD_OPS = MAX_COMMIT_OPS - 1

/** The maximum total size of the values in one commit. A single value that is larger is committed alone. */
const MAX_COMMIT_BYTES = 4_194_304

const FIRST_PAGE_RECORDS = 16

const MAX_PAGE_RECORDS = 512

const PAGE_BYTES = 1_048_576

/** The estimated cost of decrypting and encrypting a record: a fixed part, and a part that depends on its size. */
const RECORD_MICROSECONDS = 20

const BYTES_PER_MICROSECOND = 12

/** Yields records as stored, in byte order of their keys. They are read in pages of about one mebibyte. */
export async function* recordsBelow(store: Store, prefix: string): AsyncGenerator<Entry, void, void> {
  let limit = FIRST_PAGE_RECORDS
  for (let after: string | undefined; ; ) {
    const page = await store.page(prefix, after === undefined ? { limit } : { after, limit })
    yield* page
    if (page.length < limit) return
    after = page.at(-1)?.key
    limit = Math.max(1, Math.min(MAX_PAGE_RECORDS, Math.floor((PAGE_BYTES * page.length) / (valueBytes(page) + 1))))
  }
}

export class RecordMover {
  readonly #upgrade: Upgrade
  readonly #pace = new Pace()
  #ops: Op[] = []
  #bytes = 0

  constructor(upgrade: Upgrade) {
    this.#upgrade = upgrade
  }

  /** Moves all records below a prefix for which `wanted` returns true. */
  async all(from: string, to: string, wanted: (name: string) => boolean = () => true): Promise<void> {
    for await (const entry of recordsBelow(this.#upgrade.store, from)) {
      const name = entry.key.slice(from.length)
      if (wanted(name)) await this.one(entry, to + name)
    }
  }

  /** Moves one record. The move is committed by a later call or, at the latest, by {@link flush}. */
  async one(entry: Entry, to: string): Promise<void> {
    const { length } = entry.value
    if (this.#ops.length + 2 > MAX_RECORD_OPS || (this.#bytes > 0 && this.#bytes + length > MAX_COMMIT_BYTES)) await this.flush()
    // The put has no expectation. Until the migration step is done, only processes that run the same step write to the new key, and they
    // all write the same content.
    this.#ops.push(await this.#reencryptedPut(entry, to), { op: 'del', key: entry.key, expect: entry.version })
    this.#bytes += length
    const { store } = this.#upgrade
    if (this.#pace.spend(RECORD_MICROSECONDS + length / BYTES_PER_MICROSECOND)) await store.drive(pause())
  }

  /** Commits the moves that are not committed yet. */
  async flush(): Promise<void> {
    const ops = this.#ops
    this.#ops = []
    this.#bytes = 0
    if (ops.length > 0) await this.#upgrade.commit(ops)
  }

  /** A value is encrypted for its key, so it must be encrypted again for the new key. A damaged value is copied and remains damaged. */
  async #reencryptedPut(entry: Entry, to: string): Promise<Op> {
    const { store } = this.#upgrade
    const value = await decryptIfIntact(store, entry)
    if (!value) return { op: 'put', key: to, value: entry.value }
    const op =
      value.length > SLICE_BYTES ? await store.encryptedLongPut(to, value, undefined) : store.encryptedPut(to, value, undefined)
    value.fill(0)
    return op
  }
}

/** Returns undefined if the value is damaged. */
async function decryptIfIntact(store: Store, entry: Entry): Promise<Uint8Array | undefined> {
  try {
    const [opened] = await store.decryptAll([entry])
    return opened?.value
  } catch (error) {
    if (error instanceof KernelError && error.code === 'ERR_INTERNAL' && !(error instanceof UnknownTermError)) return undefined
    throw error
  }
}

/** A generator that does nothing. Driving it lets the event loop do other work. */
function* pause(): Steps<void> {}
