/**
 * Derives keys from agreed secrets and from everything that both sides have seen (HKDF, RFC 5869).
 *
 * The input key material is the sequence of secrets. The info is the protocol name, the purpose and the bound fields, each preceded by its
 * length. So both sides derive the same key only if they agree on every byte.
 */
import { toUtf8 } from '../../../core/base/bytes.ts'
import type { AeadKey, CryptoBackend } from '../../../core/crypto/backend.ts'
import { counterNonceAead } from '../../../core/crypto/counter-nonce.ts'
import { keyWipedError } from '../../../core/crypto/key-wiped-error.ts'

const PROTOCOL = /* @__PURE__ */ toUtf8('strongroom replication channel 1')

const KEY_BYTES = 32
const LENGTH_BYTES = 4

/** The purposes of keys. Each purpose has a fixed sequence of secrets and fields, so keys of different purposes differ. */
export type Purpose = 'box' | 'exchange request' | 'exchange answer' | 'hello name' | 'hello' | 'session'

export class KeySchedule {
  readonly #crypto: CryptoBackend
  #secrets: Uint8Array[] | undefined = []
  #fields: readonly Uint8Array[] = []

  constructor(crypto: CryptoBackend) {
    this.#crypto = crypto
  }

  /** Adds fields to the info of all keys that are derived from now on. The fields are copied. */
  bind(...fields: readonly Uint8Array[]): void {
    this.#fields = [...this.#fields, ...fields.map((field) => Uint8Array.from(field))]
  }

  /** Adds an agreed secret to the key material and takes ownership of it. Returns false if it is undefined because of an invalid public key. */
  mix(secret: Uint8Array | undefined): boolean {
    if (secret === undefined) return false
    this.#alive().push(secret)
    return true
  }

  /** Derives keys from everything mixed and bound so far. The caller wipes them. */
  keys(purpose: Purpose, count: number): readonly AeadKey[] {
    const secret = joined(this.#alive())
    const bytes = this.#crypto.hkdf('sha2-256', secret, undefined, this.#info(purpose), count * KEY_BYTES)
    secret.fill(0)
    const keys = Array.from({ length: count }, (_, index) =>
      counterNonceAead(this.#crypto, bytes.subarray(index * KEY_BYTES, (index + 1) * KEY_BYTES)),
    )
    bytes.fill(0)
    return keys
  }

  key(purpose: Purpose): AeadKey {
    return this.keys(purpose, 1)[0]!
  }

  /** Returns an independent copy. The original is unchanged if the message that is read with the copy turns out to be invalid. */
  fork(): KeySchedule {
    const copy = new KeySchedule(this.#crypto)
    copy.#secrets = this.#alive().map((secret) => Uint8Array.from(secret))
    copy.#fields = this.#fields
    return copy
  }

  /** Wipes the secrets. Keys that were already derived stay valid. Idempotent. */
  wipe(): void {
    for (const secret of this.#secrets ?? []) secret.fill(0)
    this.#secrets = undefined
  }

  #info(purpose: Purpose): Uint8Array {
    const fields = [PROTOCOL, toUtf8(purpose), ...this.#fields]
    return joined(fields.flatMap((field) => [lengthOf(field), field]))
  }

  #alive(): Uint8Array[] {
    if (this.#secrets === undefined) throw keyWipedError()
    return this.#secrets
  }
}

function lengthOf(field: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(LENGTH_BYTES)
  new DataView(bytes.buffer).setUint32(0, field.length)
  return bytes
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}
