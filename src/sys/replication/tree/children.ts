/** The hashes of the 256 children of a page or a root, and the inner nodes above them. */
import type { Hash } from '../../../core/crypto/backend.ts'
import { FAN, HASH_BYTES } from './geometry.ts'
import { equalBytesAt, hashAt } from './hash-list.ts'
import { NODE_BYTES, nodeOver, nodesOver } from './levels.ts'

export class Children {
  /** 20 bytes each; zeros for an empty child. */
  readonly hashes: Uint8Array
  readonly #sha256: Hash
  #nodes: Uint8Array | undefined
  /** Inner nodes with a changed child. */
  readonly #stale = new Set<number>()

  /** @param hashes Kept, and changed by {@link set}. */
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

  /** The hash over all children. */
  get top(): Uint8Array {
    return nodeOver(this.#sha256, this.nodes)
  }

  /** Whether a child has this hash. */
  has(at: number, hash: Uint8Array): boolean {
    return equalBytesAt(hashAt(this.hashes, at), 0, hash, 0)
  }

  set(at: number, hash: Uint8Array): void {
    this.hashes.set(hash, at * HASH_BYTES)
    if (this.#nodes) this.#stale.add(Math.floor(at / FAN))
  }
}
