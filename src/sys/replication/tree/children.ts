/** The hashes of the 256 children of a page or a root, and the inner nodes above them. */
import type { Hash } from '../../../core/crypto/backend.ts'
import { FAN, HASH_BYTES } from './geometry.ts'
import { equalBytesAt, hashAt } from './hash-list.ts'
import { NODE_BYTES, nodeOver, nodesOver } from './levels.ts'

export class Children {
  /** The hashes of the 256 children, 20 bytes each; zeros for an empty child. */
  readonly hashes: Uint8Array
  readonly #sha256: Hash
  #nodes: Uint8Array | undefined
  /** The numbers of the inner nodes that must be computed again because a child has changed. */
  readonly #stale = new Set<number>()

  /** @param hashes The hashes of the children, 20 bytes each. The array is not copied, and {@link set} changes it. */
  constructor(sha256: Hash, hashes: Uint8Array) {
    this.#sha256 = sha256
    this.hashes = hashes
  }

  /** The hashes of the 16 inner nodes above the children, 20 bytes each. */
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

  /** Whether the child at position `at` has this hash. */
  has(at: number, hash: Uint8Array): boolean {
    return equalBytesAt(hashAt(this.hashes, at), 0, hash, 0)
  }

  set(at: number, hash: Uint8Array): void {
    this.hashes.set(hash, at * HASH_BYTES)
    if (this.#nodes) this.#stale.add(Math.floor(at / FAN))
  }
}
