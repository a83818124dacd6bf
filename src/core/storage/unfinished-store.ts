/**
 * A store that a copy or a restore is filling. Until the store is complete, it contains a marker, and kernels refuse to open it.
 */
import { fromUtf8, toUtf8 } from '../base/bytes.ts'
import type { Clock } from '../base/clock.ts'
import type { Entropy } from '../base/entropy.ts'
import { KernelError } from '../base/errors.ts'
import { toHex } from '../base/identifiers.ts'
import { commitWithRetries } from './commit-with-retries.ts'
import type { Capabilities, Entry, Op, Storage } from './port.ts'

/** The storage key of the format stamp, the record that contains the store's format. In an unfinished store, this record is the marker. */
export const FORMAT_KEY = 'i/core/format'

export type FillOperation = 'copy' | 'restore'

/**
 * Returns the operation that left the store unfinished; undefined if the record is not a marker. @param stamp The value of the record at
 * {@link FORMAT_KEY}.
 */
export function unfinishedBy(stamp: Uint8Array): FillOperation | undefined {
  try {
    const mark = (JSON.parse(fromUtf8(stamp)) as { unfinished?: unknown } | null)?.unfinished
    return mark === 'copy' || mark === 'restore' ? mark : undefined
  } catch {
    return undefined
  }
}

export interface FillOptions {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly signal?: AbortSignal
}

const MAX_FILL_OPS = 1000
const MAX_FILL_BYTES = 1024 * 1024

/** The maximum size in bytes of all values of a commit. A storage may not accept many values of the maximum size in one commit. */
const maxCommitBytes = ({ maxValueBytes }: Capabilities): number => Math.min(MAX_FILL_BYTES, 4 * maxValueBytes)

/** Splits the ops into commits that the store allows. One op of each commit is reserved for the marker. */
export function* splitIntoCommits({ caps }: Storage, ops: readonly Op[]): Generator<readonly Op[]> {
  let [from, bytes] = [0, 0]
  for (const [at, op] of ops.entries()) {
    const size = 'value' in op ? op.value.length : 0
    if (at > from && (at - from >= Math.min(caps.maxOps, MAX_FILL_OPS) - 1 || bytes + size > maxCommitBytes(caps))) {
      yield ops.slice(from, at)
      from = at
      bytes = 0
    }
    bytes += size
  }
  if (from < ops.length) yield ops.slice(from)
}

export class UnfinishedStore {
  readonly #to: Storage
  readonly #options: FillOptions
  #version: number

  private constructor(to: Storage, options: FillOptions, version: number) {
    this.#to = to
    this.#options = options
    this.#version = version
  }

  /** Writes the marker into an empty store, or continues an interrupted copy or restore. @param found The record at {@link FORMAT_KEY}. */
  static async begin(
    to: Storage,
    operation: FillOperation,
    found: Entry | undefined,
    options: FillOptions,
  ): Promise<UnfinishedStore> {
    const store = new UnfinishedStore(to, options, found?.version ?? 0)
    // The marker has a new nonce each time, so that commits of an earlier copy or restore fail.
    const nonce = toHex(options.entropy.bytes(8))
    await store.#write({ op: 'put', key: FORMAT_KEY, value: toUtf8(JSON.stringify({ unfinished: operation, nonce })) })
    return store
  }

  /** @throws KernelError if another process fills the store, or writes to a record whose version this commit expects. */
  async commit(ops: readonly Op[]): Promise<void> {
    this.#options.signal?.throwIfAborted()
    await this.#commit([...ops, { op: 'check', key: FORMAT_KEY, expect: this.#version }])
  }

  /** Completes the store: replaces the marker with the stamp, or deletes the marker if the source has no stamp. */
  async finish(stamp: Uint8Array | undefined): Promise<void> {
    await this.#write(stamp ? { op: 'put', key: FORMAT_KEY, value: stamp } : { op: 'del', key: FORMAT_KEY })
  }

  async #write(op: Exclude<Op, { op: 'append' | 'check' }>): Promise<void> {
    this.#version = await this.#commit([{ ...op, expect: this.#version }])
  }

  async #commit(ops: readonly Op[]): Promise<number> {
    const { entropy, clock } = this.#options
    const verdict = await commitWithRetries(this.#to, ops, toHex(entropy.bytes(16)), (attempt) => clock.sleep(2 ** attempt))
    if (!verdict.ok) {
      throw new KernelError(
        'ERR_PRECONDITION',
        'another process writes to the store that is being filled; the store is left unfinished',
      )
    }
    return verdict.revision
  }
}
