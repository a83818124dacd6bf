/**
 * Reads continuously on a secondary, and reports states that no commit of the primary can have left.
 */
import type { Kernel } from '../../../src/index.ts'
import { missing, PAIRS } from './load.ts'

/** Undefined during a sync, when the data is not a consistent state of the primary. */
export type Verdict = { readonly torn: string | undefined } | undefined

const PATHS = ['pair-a', 'pair-b']

export class Watch {
  readonly #kernel: Kernel

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  async look(): Promise<Verdict> {
    if (!(await this.#isStreaming())) return undefined
    const torn = (await this.#tornPair()) ?? (await this.#tornKey())
    return (await this.#isStreaming()) ? { torn } : undefined
  }

  async #isStreaming(): Promise<boolean> {
    return (await this.#kernel.replication.readStatus()).state === 'stream-wals'
  }

  /** A version without its metadata, or metadata without its version. */
  async #tornPair(): Promise<string | undefined> {
    const pairs = this.#kernel.kv2.at(PAIRS)
    for (const path of PATHS) {
      const found = await missing(pairs.readSecret({ path })).catch((error: Error) => error)
      if (found instanceof Error) return `${path}: ${found.message}`
      if (found && found.data?.['version'] !== found.metadata.version)
        return `${path}: version ${found.metadata.version} holds ${JSON.stringify(found.data)}`
    }
    return undefined
  }

  /** A key with a version whose material is missing. */
  async #tornKey(): Promise<string | undefined> {
    const { transit } = this.#kernel
    for (const name of (await missing(transit.listKeys()))?.keys ?? []) {
      const made = await transit.encrypt({ name, plaintext: Uint8Array.of(7) }).catch((error: Error) => error)
      if (made instanceof Error) return `${name}: ${made.message}`
      const back = await transit.decrypt({ name, ciphertext: made.ciphertext }).catch((error: Error) => error)
      if (back instanceof Error || back.plaintext[0] !== 7)
        return `${name}: ${back instanceof Error ? back.message : 'another text'}`
    }
    return undefined
  }
}
