/**
 * Hashes, HMAC and HKDF over node:crypto. Sources: FIPS 180-4, FIPS 202, RFC 2104, RFC 5869.
 */
import { createHash, createHmac, createSecretKey, hash as hashAtOnce, type KeyObject } from 'node:crypto'
import { inPieces, type Steps } from '../../core/base/steps.ts'
import type { Hash, HashName, MacKey } from '../../core/crypto/backend.ts'
import { nobleHash } from '../../core/crypto/noble/hash.ts'
import { OPENSSL_NAMES } from '../../core/crypto/openssl-names.ts'
import { wiped } from '../../core/crypto/wiped.ts'
import { owned } from './owned.ts'

/** Bytes between two yields: 0.5-3 ms. */
const PIECE = 1_048_576

export function nodeHash(name: HashName): Hash {
  const openssl = OPENSSL_NAMES[name]
  const { length, blockBytes } = nobleHash(name)
  return Object.freeze({
    name,
    length,
    blockBytes,
    digest: (data: Uint8Array): Uint8Array => owned(hashAtOnce(openssl, data, 'buffer')),
    *digestSteps(data: Uint8Array): Steps<Uint8Array> {
      const state = createHash(openssl)
      yield* inPieces(data.length, PIECE, (from, to) => void state.update(data.subarray(from, to)))
      return owned(state.digest())
    },
  })
}

export class NodeHmacKey implements MacKey {
  readonly #hash: string
  #key: KeyObject | undefined

  /** `key`: any length, copied into OpenSSL's memory. */
  constructor(hash: HashName, key: Uint8Array) {
    this.#hash = OPENSSL_NAMES[hash]
    this.#key = createSecretKey(key)
  }

  mac(data: Uint8Array): Uint8Array {
    return owned(createHmac(this.#hash, this.#alive()).update(data).digest())
  }

  *macSteps(data: Uint8Array): Steps<Uint8Array> {
    const state = createHmac(this.#hash, this.#alive())
    yield* inPieces(data.length, PIECE, (from, to) => {
      this.#alive()
      state.update(data.subarray(from, to))
    })
    return owned(state.digest())
  }

  wipe(): void {
    this.#key = undefined
  }

  #alive(): KeyObject {
    if (this.#key === undefined) throw wiped()
    return this.#key
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
