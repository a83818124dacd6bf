/** Hashes, HMAC and HKDF over node:crypto. Sources: FIPS 180-4, FIPS 202, RFC 2104, RFC 5869. */
import { createHash, createHmac, type Hmac, hash as hashOnce } from 'node:crypto'
import { inPieces, type Steps } from '../../core/base/steps.ts'
import type { Hash, HashName, MacKey } from '../../core/crypto/backend.ts'
import { keyWipedError } from '../../core/crypto/key-wiped-error.ts'
import { nobleHash } from '../../core/crypto/noble/hash.ts'
import { OPENSSL_NAMES } from '../../core/crypto/openssl-names.ts'
import { bytesOfBuffer } from './plain-bytes.ts'

/** ipad and opad of RFC 2104 section 2. */
const INNER = 0x36
const OUTER = 0x5c

/** The number of bytes that are processed between two yields, which takes 0.5 to 3 ms. */
const PIECE = 1_048_576

export function nodeHash(name: HashName): Hash {
  const openssl = OPENSSL_NAMES[name]
  const { length, blockBytes } = nobleHash(name)
  return Object.freeze({
    name,
    length,
    blockBytes,
    digest: (data: Uint8Array): Uint8Array => bytesOfBuffer(hashOnce(openssl, data, 'buffer')),
    *digestSteps(data: Uint8Array): Steps<Uint8Array> {
      const state = createHash(openssl)
      yield* inPieces(data.length, PIECE, (from, to) => void state.update(data.subarray(from, to)))
      return bytesOfBuffer(state.digest())
    },
  })
}

/** Messages of at most this many bytes are copied into `scratch`; for longer messages, `createHmac` is used. */
const MAX_SHORT_BYTES = 2_048

const MAX_BLOCK_BYTES = 144

/** The padded key followed by the message of one call; wiped after the call. */
const scratch = Buffer.alloc(MAX_BLOCK_BYTES + MAX_SHORT_BYTES)

/**
 * HMAC (RFC 2104) by two one-shot hash calls. For short messages that is faster than a node:crypto `Hmac` object per message, whose state
 * cannot be reused. Longer messages use such an object.
 */
export class NodeHmacKey implements MacKey {
  readonly #hash: string
  readonly #block: number
  /** The key xored with ipad; zeros after {@link wipe}. */
  readonly #inner: Uint8Array
  /** The key xored with opad, followed by space for the inner hash. */
  readonly #outer: Buffer
  #alive = true

  /** @param key Any length; copied. */
  constructor(hash: HashName, key: Uint8Array) {
    const { blockBytes, length } = nobleHash(hash)
    this.#hash = OPENSSL_NAMES[hash]
    this.#block = blockBytes
    const short = key.length > blockBytes ? hashOnce(this.#hash, key, 'buffer') : key
    this.#inner = new Uint8Array(blockBytes).fill(INNER)
    this.#outer = Buffer.alloc(blockBytes + length, OUTER)
    for (const [at, byte] of short.entries()) {
      this.#inner[at] = byte ^ INNER
      this.#outer[at] = byte ^ OUTER
    }
    if (short !== key) short.fill(0)
  }

  mac(data: Uint8Array): Uint8Array {
    if (data.length <= MAX_SHORT_BYTES) return bytesOfBuffer(hashOnce(this.#hash, this.#outerInput(data), 'buffer'))
    this.#check()
    return bytesOfBuffer(this.#state().update(data).digest())
  }

  macText(data: Uint8Array): string {
    if (data.length <= MAX_SHORT_BYTES) return hashOnce(this.#hash, this.#outerInput(data), 'base64')
    this.#check()
    return this.#state().update(data).digest('base64')
  }

  /**
   * Returns the input of the outer hash. The inner hash is computed as a string, which takes half the time of a buffer. The string cannot
   * be wiped, but the inner hash does not reveal the key.
   */
  #outerInput(data: Uint8Array): Buffer {
    this.#check()
    const size = this.#block + data.length
    try {
      scratch.set(this.#inner)
      scratch.set(data, this.#block)
      this.#outer.write(hashOnce(this.#hash, scratch.subarray(0, size), 'binary'), this.#block, 'latin1')
    } finally {
      scratch.fill(0, 0, size)
    }
    return this.#outer
  }

  *macSteps(data: Uint8Array): Steps<Uint8Array> {
    this.#check()
    const state = this.#state()
    yield* inPieces(data.length, PIECE, (from, to) => {
      this.#check()
      state.update(data.subarray(from, to))
    })
    return bytesOfBuffer(state.digest())
  }

  wipe(): void {
    this.#alive = false
    this.#inner.fill(0)
    this.#outer.fill(0)
  }

  #check(): void {
    if (!this.#alive) throw keyWipedError()
  }

  /**
   * Returns an HMAC state for the key, which is recovered from its padded form. The recovered key may have trailing zeros. They do not
   * change the result, because HMAC pads every key with zeros.
   */
  #state(): Hmac {
    const key = this.#inner.map((byte) => byte ^ INNER)
    const state = createHmac(this.#hash, key)
    key.fill(0)
    return state
  }
}

/**
 * HKDF by HMAC calls, because `hkdfSync` accepts at most 1,024 bytes of info and is slower.
 * @param length At most 255 times the length of the hash.
 * @throws RangeError for a greater length
 */
export function nodeHkdf(
  hash: HashName,
  ikm: Uint8Array,
  salt: Uint8Array | undefined,
  info: Uint8Array,
  length: number,
): Uint8Array {
  const name = OPENSSL_NAMES[hash]
  const prk = createHmac(name, salt ?? new Uint8Array(0))
    .update(ikm)
    .digest()
  if (length > 255 * prk.length) throw new RangeError('hkdf: length must be at most 255 times the length of the hash')
  const out = new Uint8Array(length)
  let block = new Uint8Array(0)
  for (let at = 0, i = 1; at < length; at += prk.length, i++) {
    block = createHmac(name, prk).update(block).update(info).update(Uint8Array.of(i)).digest()
    out.set(block.subarray(0, length - at), at)
  }
  prk.fill(0)
  block.fill(0)
  return out
}
