/**
 * The hashes of the 256 children of a page or of a root, and the inner nodes over them.
 */
import type { Hash } from '../../../core/crypto/backend.ts'
import { FAN, HASH_BYTES } from './geometry.ts'
import { hashAt, sameBytes } from './hash-list.ts'
import { NODE_BYTES, nodeOver, nodesOver } from './levels.ts'

export class Children {
  /** 20 bytes each, zeros for an empty one. */
  readonly hashes: Uint8Array
  readonly #sha256: Hash
  #nodes: Uint8Array | undefined
  /** Nodes below which a child was changed since. */
  readonly #stale = new Set<number>()

  /** @param hashes Held, and changed by {@link set}. */
  constructor(sha256: Hash, hashes: Uint8Array) {
    this.#sha256 = sha256
    this.hashes = hashes
  }

  /** The 16 inner nodes. */
  get nodes(): Uint8Array {
    this.#nodes ??= nodesOver(this.#sha256, this.hashes)
    for (const at of this.#stale)
      this.#nodes.set(nodeOver(this.#sha256, this.hashes.subarray(at * NODE_BYTES, (at + 1) * NODE_BYTES)), at * HASH_BYTES)
    this.#stale.clear()
    return this.#nodes
  }

  /** The hash over all of them. */
  get top(): Uint8Array {
    return nodeOver(this.#sha256, this.nodes)
  }

  /** Whether this is the hash of a child. */
  has(at: number, hash: Uint8Array): boolean {
    return sameBytes(hashAt(this.hashes, at), 0, hash, 0)
  }

  set(at: number, hash: Uint8Array): void {
    this.hashes.set(hash, at * HASH_BYTES)
    if (this.#nodes) this.#stale.add(Math.floor(at / FAN))
  }
}
