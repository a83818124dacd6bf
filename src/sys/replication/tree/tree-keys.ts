/**
 * The keyed hashes of a replication set: the position of a key in the tree, and the leaf of its record. They are keyed because the status
 * shows roots to callers without a token.
 */
import { toUtf8 } from '../../../core/base/bytes.ts'
import type { Steps } from '../../../core/base/steps.ts'
import type { CryptoBackend, MacKey, Wipeable } from '../../../core/crypto/backend.ts'
import { HASH_BYTES } from './geometry.ts'

const BUCKET = /* @__PURE__ */ toUtf8('bucket')

const LEAF = /* @__PURE__ */ toUtf8('leaf')

/** Every call after {@link wipe} throws a TypeError. */
export class TreeKeys implements Wipeable {
  readonly #mac: MacKey

  /** @param setKey The secret that all clusters of the set share. Read, but not kept. */
  constructor(setKey: Uint8Array, crypto: CryptoBackend) {
    this.#mac = crypto.hmac('sha2-256', setKey)
  }

  /** The 20-byte hash of a key, whose first two bytes are its bucket: HMAC of `bucket` and the key. */
  hashOf(key: string): Uint8Array {
    const bytes = toUtf8(key)
    const message = new Uint8Array(BUCKET.length + bytes.length)
    message.set(BUCKET)
    message.set(bytes, BUCKET.length)
    return this.#mac.mac(message).slice(0, HASH_BYTES)
  }

  /** The 20-byte leaf of a record: HMAC of `leaf`, the key's length (uint32, big-endian), the key and the plaintext. */
  leafOf(key: string, plaintext: Uint8Array): Uint8Array {
    const message = leafMessage(key, plaintext)
    try {
      return this.#mac.mac(message).slice(0, HASH_BYTES)
    } finally {
      message.fill(0)
    }
  }

  /** {@link leafOf} for a long plaintext, which is copied in the first step. */
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
