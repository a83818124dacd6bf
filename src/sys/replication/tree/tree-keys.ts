/**
 * Computes the MACs in the Merkle tree of a replication set: the hash of a key, which is its position in the tree, and the leaf of its
 * record. These are MACs and not plain hashes, because the status shows roots to callers without a token, who must not be able to guess the
 * contents of records.
 */
import { toUtf8 } from '../../../core/base/bytes.ts'
import type { Steps } from '../../../core/base/steps.ts'
import type { CryptoBackend, MacKey, Wipeable } from '../../../core/crypto/backend.ts'
import { HASH_BYTES } from './geometry.ts'

const BUCKET = /* @__PURE__ */ toUtf8('bucket')

const LEAF = /* @__PURE__ */ toUtf8('leaf')

/** The MAC key of the Merkle tree. Every call after {@link wipe} throws a TypeError. */
export class TreeKeys implements Wipeable {
  readonly #mac: MacKey

  /** @param setKey The secret that all clusters of the set share. The array is read but not kept. */
  constructor(setKey: Uint8Array, crypto: CryptoBackend) {
    this.#mac = crypto.hmac('sha2-256', setKey)
  }

  /**
   * Returns the 20-byte hash of a key: an HMAC of the text `bucket` followed by the key. The first two bytes are the number of the bucket.
   */
  hashOf(key: string): Uint8Array {
    const bytes = toUtf8(key)
    const message = new Uint8Array(BUCKET.length + bytes.length)
    message.set(BUCKET)
    message.set(bytes, BUCKET.length)
    return this.#mac.mac(message).slice(0, HASH_BYTES)
  }

  /**
   * Returns the 20-byte leaf of a record: an HMAC of the text `leaf`, the length of the key (uint32, big-endian), the key, and the
   * decrypted value.
   */
  leafOf(key: string, plaintext: Uint8Array): Uint8Array {
    const message = leafMessage(key, plaintext)
    try {
      return this.#mac.mac(message).slice(0, HASH_BYTES)
    } finally {
      message.fill(0)
    }
  }

  /** Computes the result of {@link leafOf} with pauses, for a long plaintext. The plaintext is copied before the first pause. */
  *leafSteps(key: string, plaintext: Uint8Array): Steps<Uint8Array> {
    const message = leafMessage(key, plaintext)
    try {
      return (yield* this.#mac.macSteps(message)).slice(0, HASH_BYTES)
    } finally {
      message.fill(0)
    }
  }

  wipe(): void {
    this.#mac.wipe()
  }
}

function leafMessage(key: string, plaintext: Uint8Array): Uint8Array {
  const bytes = toUtf8(key)
  const head = LEAF.length + 4
  const message = new Uint8Array(head + bytes.length + plaintext.length)
  message.set(LEAF)
  new DataView(message.buffer).setUint32(LEAF.length, bytes.length)
  message.set(bytes, head)
  message.set(plaintext, head + bytes.length)
  return message
}
