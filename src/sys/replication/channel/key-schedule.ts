/**
 * Keys from agreed secrets and from everything both sides have seen so far. Source: RFC 5869.
 *
 * Input of the extraction are the secrets in their order, and the info is the protocol, the purpose and the bound fields, each behind its
 * length. So two sides have the same key only when they agree about every byte of these.
 */
import { toUtf8 } from '../../../core/base/bytes.ts'
import type { AeadKey, CryptoBackend } from '../../../core/crypto/backend.ts'
import { counterNonceAead } from '../../../core/crypto/counter-nonce.ts'
import { wiped } from '../../../core/crypto/wiped.ts'

const PROTOCOL = /* @__PURE__ */ toUtf8('strongroom replication channel 1')

const KEY_BYTES = 32
const LENGTH_BYTES = 4

/** What keys are for. Each has one order of secrets and fields, so none ever meets another's. */
export type Purpose = 'box' | 'exchange request' | 'exchange answer' | 'hello name' | 'hello' | 'session'

export class KeySchedule {
  readonly #crypto: CryptoBackend
  #secrets: Uint8Array[] | undefined = []
  #fields: readonly Uint8Array[] = []

  constructor(crypto: CryptoBackend) {
    this.#crypto = crypto
  }

  /** Takes a copy of each field. */
  bind(...fields: readonly Uint8Array[]): void {
    this.#fields = [...this.#fields, ...fields.map((field) => Uint8Array.from(field))]
  }

  /** Takes an agreed secret for its own. False for one that there is not, since the public key was none. */
  mix(secret: Uint8Array | undefined): boolean {
    if (secret === undefined) return false
    this.#alive().push(secret)
    return true
  }

  /** Keys that depend on all that was mixed and bound so far. The caller wipes them. */
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

  /** The same state of its own, for a try that may fail. */
  fork(): KeySchedule {
    const copy = new KeySchedule(this.#crypto)
    copy.#secrets = this.#alive().map((secret) => Uint8Array.from(secret))
    copy.#fields = this.#fields
    return copy
  }

  /** Idempotent. Keys that were made live on. */
  wipe(): void {
    for (const secret of this.#secrets ?? []) secret.fill(0)
    this.#secrets = undefined
  }

  #info(purpose: Purpose): Uint8Array {
    const fields = [PROTOCOL, toUtf8(purpose), ...this.#fields]
    return joined(fields.flatMap((field) => [lengthOf(field), field]))
  }

  #alive(): Uint8Array[] {
    if (this.#secrets === undefined) throw wiped()
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
