/**
 * The stored bytes of a key version, and the usable key that is built from them.
 *
 * Stored form: length of the HMAC key (uint16, big-endian), HMAC key, key. For the type hmac the key is the HMAC key, so only the HMAC key
 * is stored. The top bit of the length marks a version that has only a public key, which is stored in place of the key.
 */
import { invalid, type KernelError } from '../../core/base/errors.ts'
import type { Counter } from '../../core/contract/counter.ts'
import type { CryptoBackend, HashName, MacKey, Wipeable } from '../../core/crypto/backend.ts'
import { type CacheableKey, DEFAULT_KEY_BYTES, type PinnedKey } from '../../core/crypto/key-cache.ts'
import { SharedBytes } from '../../core/crypto/shared-bytes.ts'
import { DERIVED_KEY_BYTES, DerivedKeys } from './derived-keys.ts'

const PUBLIC_ONLY = 0x8000

/** The memory that a parsed key pair takes per byte of its stored form. */
const MEMORY_PER_STORED_BYTE = 12

export function encodeMaterial(macKey: Uint8Array, key: Uint8Array, publicOnly = false): Uint8Array {
  const out = new Uint8Array(2 + macKey.length + key.length)
  new DataView(out.buffer).setUint16(0, macKey.length | (publicOnly ? PUBLIC_ONLY : 0))
  out.set(macKey, 2)
  out.set(key, 2 + macKey.length)
  return out
}

/** The error for every operation that needs a private half in a version that has only the public half. */
export const noPrivateHalf = (): KernelError => invalid('key_version: this version has only a public key')

/** The part of a key type that builds usable keys from stored bytes. */
export interface Opener {
  /** Builds the usable key. Must neither keep nor change `key`. */
  readonly open: (crypto: CryptoBackend, key: Uint8Array) => Wipeable
  /**
   * Builds the usable public half of a version that has only a public key. Must neither keep nor change `key`. Undefined if the type has no
   * public keys.
   */
  readonly openPublic?: ((crypto: CryptoBackend, key: Uint8Array) => Wipeable) | undefined
}

/** A loaded key version. Expensive parts are created at first use and kept until the version is wiped. */
export class VersionKey implements CacheableKey {
  /** Whether the version has no private half. */
  readonly publicOnly: boolean
  memoryBytes: number
  /** The encryption counter; set by the first encryption. */
  encryptions: Counter | undefined
  readonly #type: Opener
  readonly #crypto: CryptoBackend
  readonly #key: Uint8Array
  readonly #macKey: Uint8Array
  readonly #macs = new Map<HashName, MacKey>()
  #primitive: Wipeable | undefined
  #hkdfMac: MacKey | undefined
  #counterMac: MacKey | undefined
  #derived: DerivedKeys | undefined
  #shared: SharedBytes | undefined
  #wiped = false

  /** @param stored The stored form, which is copied. */
  constructor(type: Opener, crypto: CryptoBackend, stored: Uint8Array) {
    const head = new DataView(stored.buffer, stored.byteOffset).getUint16(0)
    const macBytes = head & ~PUBLIC_ONLY
    this.publicOnly = (head & PUBLIC_ONLY) !== 0
    this.#type = type
    this.#crypto = crypto
    this.#macKey = stored.slice(2, 2 + macBytes)
    this.#key = stored.slice(2 + macBytes)
    this.memoryBytes = DEFAULT_KEY_BYTES + MEMORY_PER_STORED_BYTE * this.#key.length
  }

  /** The key in the form that its type uses: a cipher, a signer, a key pair or a public key. */
  get primitive(): Wipeable {
    if (this.#primitive) return this.#primitive
    this.#check()
    this.#primitive = this.publicOnly ? this.#openPublic() : this.#type.open(this.#crypto, this.#key)
    return this.#primitive
  }

  /** The stored form, in memory that threads share. `wipe` also wipes this memory. */
  get shared(): SharedArrayBuffer {
    if (!this.#shared) {
      this.#check()
      const stored = encodeMaterial(this.#macKey, this.#key, this.publicOnly)
      this.#shared = new SharedBytes(stored)
      stored.fill(0)
    }
    return this.#shared.memory
  }

  /** Passes the key to `use`, which must neither keep nor change it. @throws KernelError 400 if the version has only a public key */
  lend<T>(use: (key: Uint8Array) => T): T {
    this.#check()
    if (this.publicOnly) throw noPrivateHalf()
    return use(this.#key)
  }

  /** Passes the HMAC key and the private or public key to `use`, which must neither keep nor change them. Used to copy a version. */
  lendAll<T>(use: (macKey: Uint8Array, key: Uint8Array) => T): T {
    this.#check()
    return use(this.#macKey, this.#key)
  }

  /** The HMAC key of this version. For the type hmac it is the key itself; for other types it is independent of the key. */
  mac(hash: HashName): MacKey {
    const known = this.#macs.get(hash)
    if (known) return known
    this.#check()
    const mac = this.#crypto.hmac(hash, this.#macKey)
    this.#macs.set(hash, mac)
    return mac
  }

  /**
   * Returns HMAC-SHA256 with the key of the derivation function. HKDF (1) extracts that key from the key of this version, once for all
   * contexts; the counter mode (0) uses the key of this version.
   */
  derivationMac(kdf: 0 | 1): MacKey {
    if (kdf === 0) {
      this.#counterMac ??= this.lend((key) => this.#crypto.hmac('sha2-256', key))
      return this.#counterMac
    }
    this.#hkdfMac ??= this.lend((key) => extract(this.#crypto, key))
    return this.#hkdfMac
  }

  /**
   * Returns the key that was derived for the context, pinned. The caller must unpin it after use. All calls for one key version must derive
   * in the same way, because the key may have been derived by an earlier call.
   */
  derived<K extends Wipeable>(context: Uint8Array, derive: () => K): PinnedKey<K> {
    this.#check()
    this.#derived ??= new DerivedKeys()
    const { size } = this.#derived
    const key = this.#derived.pin(context, derive)
    this.memoryBytes += DERIVED_KEY_BYTES * (this.#derived.size - size)
    return key
  }

  wipe(): void {
    this.#wiped = true
    this.#key.fill(0)
    this.#macKey.fill(0)
    this.#primitive?.wipe()
    this.#primitive = undefined
    for (const mac of this.#macs.values()) mac.wipe()
    this.#macs.clear()
    this.#hkdfMac?.wipe()
    this.#counterMac?.wipe()
    this.#derived?.wipe()
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

/** The first stage of HKDF with SHA-256 and without a salt (RFC 5869 section 2.2). */
function extract(crypto: CryptoBackend, key: Uint8Array): MacKey {
  const withoutSalt = crypto.hmac('sha2-256', new Uint8Array(32))
  const prk = withoutSalt.mac(key)
  try {
    return crypto.hmac('sha2-256', prk)
  } finally {
    prk.fill(0)
    withoutSalt.wipe()
  }
}
