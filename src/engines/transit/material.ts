/**
 * The bytes of one key version as they are stored, and the usable key they become.
 *
 * Stored form: uint16 length of the HMAC key, HMAC key, key. For type hmac the two are the same bytes, stored once. The top bit of the
 * length says that what follows the HMAC key is a public key, which is all there is of the version.
 */
import { invalid, type KernelError } from '../../core/base/errors.ts'
import type { Counter } from '../../core/contract/counter.ts'
import type { CryptoBackend, HashName, MacKey, Wipeable } from '../../core/crypto/backend.ts'

const PUBLIC_ONLY = 0x8000

export function encodeMaterial(macKey: Uint8Array, key: Uint8Array, publicOnly = false): Uint8Array {
  const out = new Uint8Array(2 + macKey.length + key.length)
  new DataView(out.buffer).setUint16(0, macKey.length | (publicOnly ? PUBLIC_ONLY : 0))
  out.set(macKey, 2)
  out.set(key, 2 + macKey.length)
  return out
}

/** What everything answers that would need the private half of a public key. */
export const noPrivateHalf = (): KernelError => invalid('key_version: only the public key of this version is here')

/** How stored bytes become a usable key: part of a key type. */
export interface Opener {
  /** The usable key; `key` is lent. */
  readonly open: (crypto: CryptoBackend, key: Uint8Array) => Wipeable
  /** What is left of it where only the public key is known; `key` is lent. Absent where there is no public half. */
  readonly openPublic?: (crypto: CryptoBackend, key: Uint8Array) => Wipeable
}

/** A key version in use. What is costly per key is made at first use and kept until it is wiped. */
export class VersionKey implements Wipeable {
  /** There is no private half: only what a public key can do. */
  readonly publicOnly: boolean
  /** Of its encryptions; looked up by the first. */
  encryptions: Counter | undefined
  readonly #type: Opener
  readonly #crypto: CryptoBackend
  readonly #key: Uint8Array
  readonly #macKey: Uint8Array
  readonly #macs = new Map<HashName, MacKey>()
  #primitive: Wipeable | undefined
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

  /** What the key type made of the key: a cipher, a signer, a pair or the public half of one. */
  get primitive(): Wipeable {
    if (this.#primitive) return this.#primitive
    this.#check()
    this.#primitive = this.publicOnly ? this.#openPublic() : this.#type.open(this.#crypto, this.#key)
    return this.#primitive
  }

  /** The key bytes for as long as `use` runs. @throws KernelError 400 when there is only a public key. */
  lend<T>(use: (key: Uint8Array) => T): T {
    this.#check()
    if (this.publicOnly) throw noPrivateHalf()
    return use(this.#key)
  }

  /** Both the HMAC key and the key, private or public, for as long as `use` runs: for what copies a version as it is. */
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
  }

  #openPublic(): Wipeable {
    if (!this.#type.openPublic) throw noPrivateHalf()
    return this.#type.openPublic(this.#crypto, this.#key)
  }

  #check(): void {
    if (this.#wiped) throw new TypeError('this key has been wiped')
  }
}
