/**
 * A store that is being filled from elsewhere. It bears a mark until it is whole, and a kernel refuses to open it until then.
 */
import { fromUtf8, toUtf8 } from '../base/bytes.ts'
import type { Clock } from '../base/clock.ts'
import type { Entropy } from '../base/entropy.ts'
import { KernelError } from '../base/errors.ts'
import { toHex } from '../base/identifiers.ts'
import { commitSurely } from './commit-surely.ts'
import type { Capabilities, Entry, Op, Storage } from './port.ts'

/** The key of a store's format stamp; an unfinished store has the mark there instead. */
export const FORMAT_KEY = 'i/core/format'

export type Filler = 'copy' | 'restore'

/** Which filler left the store unfinished, according to this stamp. */
export function unfinished(stamp: Uint8Array): Filler | undefined {
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

const MOST_OPS = 1000
const MOST_BYTES = 1024 * 1024

/** A commit's values together; a store may take no more than a few of the longest in one. */
const roomFor = ({ maxValueBytes }: Capabilities): number => Math.min(MOST_BYTES, 4 * maxValueBytes)

/** The ops in commits that the store takes; one op of each is reserved for the mark. */
export function* inCommits({ caps }: Storage, ops: readonly Op[]): Generator<readonly Op[]> {
  let [from, bytes] = [0, 0]
  for (const [at, op] of ops.entries()) {
    const own = 'value' in op ? op.value.length : 0
    if (at > from && (at - from >= Math.min(caps.maxOps, MOST_OPS) - 1 || bytes + own > roomFor(caps))) {
      yield ops.slice(from, at)
      from = at
      bytes = 0
    }
    bytes += own
  }
  if (from < ops.length) yield ops.slice(from)
}

export class Filling {
  readonly #to: Storage
  readonly #options: FillOptions
  #version: number

  private constructor(to: Storage, options: FillOptions, version: number) {
    this.#to = to
    this.#options = options
    this.#version = version
  }

  /** Marks the store as unfinished, or takes over an interrupted filling. @param found The record at {@link FORMAT_KEY}. */
  static async begin(to: Storage, by: Filler, found: Entry | undefined, options: FillOptions): Promise<Filling> {
    const filling = new Filling(to, options, found?.version ?? 0)
    // A new mark each time makes the commits of an earlier filler fail.
    const nonce = toHex(options.entropy.bytes(8))
    await filling.#write({ op: 'put', key: FORMAT_KEY, value: toUtf8(JSON.stringify({ unfinished: by, nonce })) })
    return filling
  }

  /** @throws KernelError when another process fills the store, or writes to a record that this expects. */
  async commit(ops: readonly Op[]): Promise<void> {
    this.#options.signal?.throwIfAborted()
    await this.#commit([...ops, { op: 'check', key: FORMAT_KEY, expect: this.#version }])
  }

  /** Completes the store: the stamp replaces the mark. */
  async finish(stamp: Uint8Array | undefined): Promise<void> {
    await this.#write(stamp ? { op: 'put', key: FORMAT_KEY, value: stamp } : { op: 'del', key: FORMAT_KEY })
  }

  async #write(op: Exclude<Op, { op: 'append' | 'check' }>): Promise<void> {
    this.#version = await this.#commit([{ ...op, expect: this.#version }])
  }

  async #commit(ops: readonly Op[]): Promise<number> {
    const { entropy, clock } = this.#options
    const verdict = await commitSurely(this.#to, ops, toHex(entropy.bytes(16)), (attempt) => clock.sleep(2 ** attempt))
    if (!verdict.ok) {
      throw new KernelError('ERR_PRECONDITION', 'somebody else writes to the store that is being filled; it is left unfinished')
    }
    return verdict.revision
  }
}
