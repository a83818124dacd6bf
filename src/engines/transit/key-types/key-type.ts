/** The interface of a key type: one row in the table, one module per family. No other part of the engine knows a type by name. */
import type { Outcome } from '../../../core/base/steps.ts'
import type { Environment, Tx } from '../../../core/contract/tx.ts'
import type { X509SignatureAlgorithm } from '../../../core/crypto/asn1/signature-algorithms.ts'
import type { HashName } from '../../../core/crypto/backend.ts'
import type { BuiltInBackend } from '../../../core/crypto/built-in-backends.ts'
import type { Opener, VersionKey } from '../material.ts'
import type { ManagedKeyRef } from '../port.ts'
import type { KeyCodec } from './key-codec.ts'
import type { NewKey } from './new-key.ts'

/** How the key of one call is derived in a derived ring. */
export interface Derivation {
  readonly kdf: 0 | 1
  /** Not empty. */
  readonly context: Uint8Array
  /** 0: random nonces; 1 to 3: convergent, with that rule (source: behaviour of the originals). */
  readonly convergent: number
}

/** A job of the ability that is meant, and how it is to be done. */
interface CryptoJob {
  /** By a caller that cannot wait: nothing is done in steps, and long input blocks. */
  readonly sync?: true | undefined
}

export interface SealJob extends CryptoJob {
  readonly plaintext: Uint8Array
  readonly associatedData: Uint8Array
  readonly derivation: Derivation | undefined
  /** Only for convergent version 1, where the caller gives the nonce and the ciphertext does not carry it. */
  readonly nonce: Uint8Array | undefined
}

export interface OpenJob extends Omit<SealJob, 'plaintext'> {
  readonly sealed: Uint8Array
}

/** The ability to encrypt. */
export interface Encryptor {
  /** Accepts associated data and, where the type can be derived, a context. */
  readonly aead: boolean
  /** Draws random nonces of 96 bits: a key tolerates 2^32 of them, so every encryption is counted. */
  readonly counted: boolean
  /** The body of a ciphertext. */
  seal(env: Environment, key: VersionKey, job: SealJob): Outcome<Uint8Array>
  /** Undefined when authentication fails, whatever the reason. */
  open(env: Environment, key: VersionKey, job: OpenJob): Outcome<Uint8Array | undefined>
}

export interface SignJob extends CryptoJob {
  readonly input: Uint8Array
  /** `none`: the input is signed as it is, without an identifier of its hash. */
  readonly hash: HashName | 'none'
  readonly prehashed: boolean
  /** Any text: only types with more than one algorithm read it. */
  readonly algorithm: string
  /** Bytes; `auto` is the longest on signing and any on verifying. */
  readonly salt: number | 'auto' | 'hash'
  /** The form of an ECDSA signature; other types ignore it. */
  readonly marshaling: 'asn1' | 'jws'
  readonly derivation: Derivation | undefined
}

/** What is the same for all items of a request. */
export type SigningRules = Omit<SignJob, 'input' | 'derivation' | 'atOnce'>

export interface Signature {
  readonly bytes: Uint8Array
  /** Present only where the key was derived for this call. */
  readonly publicKey?: Uint8Array
}

/** The ability to sign and verify. */
export interface Signer {
  sign(env: Environment, key: VersionKey, job: SignJob): Outcome<Signature>
  /** @throws KernelError 400 for a malformed signature; a wrong one returns false. */
  verify(env: Environment, key: VersionKey, job: SignJob, signature: Uint8Array): Outcome<boolean>
  /** The public key of a context. */
  derivedPublicKey?(env: Environment, key: VersionKey, derivation: Derivation): Uint8Array
}

/** The ability to agree on a shared key with the holder of another pair of the same kind. */
export interface Agreement {
  /**
   * The shared secret, which the caller wipes. @param what Names the public key in refusals.
   * @throws KernelError 400 for a public key that does not fit
   */
  secret(key: VersionKey, peerSpki: Uint8Array, what: string): Uint8Array
}

/** Estimates in microseconds, by which long batches yield to the event loop in time. */
export interface Costs {
  readonly encrypt: number
  readonly decrypt: number
  readonly sign: number
  readonly verify: number
}

export interface KeyType extends Opener {
  /** The name that `keys` of a key read shows beside the public key; undefined where it shows creation times only. */
  readonly displayName: string | undefined
  /** Bytes of key_size; undefined where it is not a parameter. */
  readonly keySizes: { readonly min: number; readonly max: number; readonly default: number } | undefined
  /** Encrypt creates missing keys of this type. */
  readonly upsert: boolean
  readonly canDerive: boolean
  readonly canConverge: boolean
  /** The key itself is the HMAC key. */
  readonly macOnly: boolean
  /** Keys may be created, imported and used with the option `fips`. */
  readonly fips: boolean
  /**
   * An HSM or a KMS keeps the keys: their operations are asynchronous, they make no HMACs, and rotation only changes the
   * reference.
   */
  readonly isManaged: boolean
  readonly costs: Costs
  /** The backends whose long work with such keys holds the event loop: those that compute it there, by the noble libraries or at once. */
  readonly blockingBackends: readonly BuiltInBackend[]
  readonly encryptor: Encryptor | undefined
  readonly signer: Signer | undefined
  /** Its certificate requests; absent where its keys have no certificates. */
  readonly x509?: X509SignatureAlgorithm
  /** Shared keys with others; absent where it cannot agree on any. */
  readonly agreement?: Agreement
  /** The size in bytes of an agreed key of this type; absent where an agreed key cannot be of this type. */
  readonly agreedKeyBytes?: number
  /** A fresh key, or for outside types the reference `ref`. Costly or asynchronous generation goes through `tx.once`. */
  readonly generate: (tx: Tx, size: number, ref?: ManagedKeyRef) => NewKey
  /** How its keys are imported and exported. */
  readonly codec: KeyCodec
}
