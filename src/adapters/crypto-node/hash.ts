/**
 * Hashes, HMAC and HKDF over node:crypto. Sources: FIPS 180-4, FIPS 202, RFC 2104, RFC 5869.
 */
import { createHash, createHmac, type Hmac, hash as hashAtOnce } from 'node:crypto'
import { inPieces, type Steps } from '../../core/base/steps.ts'
import type { Hash, HashName, MacKey } from '../../core/crypto/backend.ts'
import { keyWipedError } from '../../core/crypto/key-wiped-error.ts'
import { nobleHash } from '../../core/crypto/noble/hash.ts'
import { OPENSSL_NAMES } from '../../core/crypto/openssl-names.ts'
import { plainBytes } from './plain-bytes.ts'

/** Source: RFC 2104 section 2. */
const INNER = 0x36
const OUTER = 0x5c

/** Bytes between two yields: 0.5-3 ms. */
const PIECE = 1_048_576

export function nodeHash(name: HashName): Hash {
  const openssl = OPENSSL_NAMES[name]
  const { length, blockBytes } = nobleHash(name)
  return Object.freeze({
    name,
    length,
    blockBytes,
    digest: (data: Uint8Array): Uint8Array => plainBytes(hashAtOnce(openssl, data, 'buffer')),
    *digestSteps(data: Uint8Array): Steps<Uint8Array> {
      const state = createHash(openssl)
      yield* inPieces(data.length, PIECE, (from, to) => void state.update(data.subarray(from, to)))
      return plainBytes(state.digest())
    },
  })
}

/** Messages up to this many bytes are copied behind the block of the key. */
const MAX_SHORT_BYTES = 2_048

const MAX_BLOCK_BYTES = 144

/** A call's message behind the inner block of its key, wiped behind it. */
const scratch = Buffer.alloc(MAX_BLOCK_BYTES + MAX_SHORT_BYTES)

/**
 * RFC 2104 by two hashes of one call each: for short messages that takes less time than an object of node:crypto for each, whose state cannot
 * be kept. Long ones go by that object, in pieces.
 */
export class NodeHmacKey implements MacKey {
  readonly #hash: string
  readonly #block: number
  /** The key with the inner padding; all zeros behind {@link wipe}. */
  readonly #inner: Uint8Array
  /** The key with the outer padding, and room for the inner hash. */
  readonly #outer: Buffer
  #alive = true

  /** `key`: any length, copied. */
  constructor(hash: HashName, key: Uint8Array) {
    const { blockBytes, length } = nobleHash(hash)
    this.#hash = OPENSSL_NAMES[hash]
    this.#block = blockBytes
    const short = key.length > blockBytes ? hashAtOnce(this.#hash, key, 'buffer') : key
    this.#inner = new Uint8Array(blockBytes).fill(INNER)
    this.#outer = Buffer.alloc(blockBytes + length, OUTER)
    for (const [at, byte] of short.entries()) {
      this.#inner[at] = byte ^ INNER
      this.#outer[at] = byte ^ OUTER
    }
    if (short !== key) short.fill(0)
  }

  mac(data: Uint8Array): Uint8Array {
    if (data.length <= MAX_SHORT_BYTES) return plainBytes(hashAtOnce(this.#hash, this.#outerWith(data), 'buffer'))
    this.#check()
    return plainBytes(this.#state().update(data).digest())
  }

  macText(data: Uint8Array): string {
    if (data.length <= MAX_SHORT_BYTES) return hashAtOnce(this.#hash, this.#outerWith(data), 'base64')
    this.#check()
    return this.#state().update(data).digest('base64')
  }

  /** What the outer hash is of. The inner one tells nothing of the key; as a text it costs half as much as a buffer. */
  #outerWith(data: Uint8Array): Buffer {
    this.#check()
    const size = this.#block + data.length
    try {
      scratch.set(this.#inner)
      scratch.set(data, this.#block)
      this.#outer.write(hashAtOnce(this.#hash, scratch.subarray(0, size), 'binary'), this.#block, 'latin1')
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
    return plainBytes(state.digest())
  }

  wipe(): void {
    this.#alive = false
    this.#inner.fill(0)
    this.#outer.fill(0)
  }

  #check(): void {
    if (!this.#alive) throw keyWipedError()
  }

  /** Zeros behind the key change nothing. */
  #state(): Hmac {
    const key = this.#inner.map((byte) => byte ^ INNER)
    const state = createHmac(this.#hash, key)
    key.fill(0)
    return state
  }
}

/**
 * Made of HMAC calls: `hkdfSync` refuses an info of more than 1 024 bytes, and is slower. `length` is at most 255 times the
 * hash's.
 * @throws RangeError for a greater length.
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
  if (length > 255 * prk.length) throw new RangeError('hkdf: more than 255 blocks')
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
