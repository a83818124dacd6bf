/**
 * The stored bytes of one key version, and the usable key made of them.
 *
 * Stored form: uint16 length of the HMAC key, HMAC key, key. For type hmac the two are the same bytes, stored once. The top bit
 * of the length marks a version that has only a public key, which follows the HMAC key.
 */
import { invalid, type KernelError } from '../../core/base/errors.ts'
import type { Counter } from '../../core/contract/counter.ts'
import type { CryptoBackend, HashName, MacKey, Wipeable } from '../../core/crypto/backend.ts'
import { SharedBytes } from '../../core/crypto/shared-bytes.ts'

const PUBLIC_ONLY = 0x8000

export function encodeMaterial(macKey: Uint8Array, key: Uint8Array, publicOnly = false): Uint8Array {
  const out = new Uint8Array(2 + macKey.length + key.length)
  new DataView(out.buffer).setUint16(0, macKey.length | (publicOnly ? PUBLIC_ONLY : 0))
  out.set(macKey, 2)
  out.set(key, 2 + macKey.length)
  return out
}

/** The refusal of every use that needs the missing private half. */
export const noPrivateHalf = (): KernelError => invalid('key_version: only the public key of this version is here')

/** How stored bytes become a usable key: part of a key type. */
export interface Opener {
  /** The usable key; `key` is lent. */
  readonly open: (crypto: CryptoBackend, key: Uint8Array) => Wipeable
  /** The usable public half, where only that is known; `key` is lent. Absent where the type has no public half. */
  readonly openPublic?: (crypto: CryptoBackend, key: Uint8Array) => Wipeable
}

/** A key version in use. Parts that are costly to make are made at first use and kept until the version is wiped. */
export class VersionKey implements Wipeable {
  /** True when there is no private half. */
  readonly publicOnly: boolean
  /** The counter of its encryptions; looked up by the first encryption. */
  encryptions: Counter | undefined
  readonly #type: Opener
  readonly #crypto: CryptoBackend
  readonly #key: Uint8Array
  readonly #macKey: Uint8Array
  readonly #macs = new Map<HashName, MacKey>()
  #primitive: Wipeable | undefined
  #shared: SharedBytes | undefined
  #wiped = false

  /** @param stored Lent; copied. */
  constructor(type: Opener, crypto: CryptoBackend, stored: Uint8Array) {
    const head = new DataView(stored.buffer, stored.byteOffset).getUint16(0)
    const macBytes = head & ~PUBLIC_ONLY
    this.publicOnly = (head & PUBLIC_ONLY) !== 0
    this.#type = type
    this.#crypto = crypto
    this.#macKey = stored.slice(2, 2 + macBytes)
    this.#key = stored.slice(2 + macBytes)
  }

  /** The key as its type uses it: a cipher, a signer, a pair or the public half of one. */
  get primitive(): Wipeable {
    if (this.#primitive) return this.#primitive
    this.#check()
    this.#primitive = this.publicOnly ? this.#openPublic() : this.#type.open(this.#crypto, this.#key)
    return this.#primitive
  }

  /** The stored form in memory that threads share; wiped with the rest. */
  get shared(): SharedArrayBuffer {
    if (!this.#shared) {
      this.#check()
      const stored = encodeMaterial(this.#macKey, this.#key, this.publicOnly)
      this.#shared = new SharedBytes(stored)
      stored.fill(0)
    }
    return this.#shared.memory
  }

  /** Lends the key bytes to `use`. @throws KernelError 400 when there is only a public key. */
  lend<T>(use: (key: Uint8Array) => T): T {
    this.#check()
    if (this.publicOnly) throw noPrivateHalf()
    return use(this.#key)
  }

  /** Lends both the HMAC key and the key, private or public, to `use`, which copies a version as it is. */
  lendAll<T>(use: (macKey: Uint8Array, key: Uint8Array) => T): T {
    this.#check()
    return use(this.#macKey, this.#key)
  }

  /** The HMAC key that every version has beside its key. */
  mac(hash: HashName): MacKey {
    const known = this.#macs.get(hash)
    if (known) return known
    this.#check()
    const mac = this.#crypto.hmac(hash, this.#macKey)
    this.#macs.set(hash, mac)
    return mac
  }

  wipe(): void {
    this.#wiped = true
    this.#key.fill(0)
    this.#macKey.fill(0)
    this.#primitive?.wipe()
    this.#primitive = undefined
    for (const mac of this.#macs.values()) mac.wipe()
    this.#macs.clear()
    this.#shared?.wipe()
  }

  #openPublic(): Wipeable {
    if (!this.#type.openPublic) throw noPrivateHalf()
    return this.#type.openPublic(this.#crypto, this.#key)
  }

  #check(): void {
    if (this.#wiped) throw new TypeError('this key has been wiped')
  }
}
