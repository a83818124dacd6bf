/**
 * What a key type is. One row in the table, one module per family; nothing else in the engine knows a type by name.
 */
import type { Outcome } from '../../../core/base/steps.ts'
import type { Environment, Tx } from '../../../core/contract/tx.ts'
import type { X509 } from '../../../core/crypto/asn1/signature-algorithms.ts'
import type { HashName } from '../../../core/crypto/backend.ts'
import type { Opener, VersionKey } from '../material.ts'
import type { ManagedKeyRef } from '../port.ts'
import type { NewKey } from './new-key.ts'
import type { Transport } from './transport.ts'

/** How the key of one call comes from the key of a derived ring. */
export interface Derivation {
  readonly kdf: 0 | 1
  /** Not empty. */
  readonly context: Uint8Array
  /** 0: random nonces; 1 to 3: convergent, by that rule (source: behaviour of the originals). */
  readonly convergent: number
}

export interface SealJob {
  readonly plaintext: Uint8Array
  readonly associatedData: Uint8Array
  readonly derivation: Derivation | undefined
  /** Only of convergent version 1, where the caller gives it and nobody stores it. */
  readonly nonce: Uint8Array | undefined
}

export interface OpenJob extends Omit<SealJob, 'plaintext'> {
  readonly sealed: Uint8Array
}

/** The ability to encrypt. */
export interface Encryptor {
  /** Takes associated data, and where the type can be derived, a context. */
  readonly aead: boolean
  /** Draws random nonces of 96 bits, of which one key stands 2^32: every encryption is counted. */
  readonly counted: boolean
  /** The body of a ciphertext. */
  seal(env: Environment, key: VersionKey, job: SealJob): Outcome<Uint8Array>
  /** Undefined when it does not authenticate, whatever the reason. */
  open(env: Environment, key: VersionKey, job: OpenJob): Outcome<Uint8Array | undefined>
}

export interface SignJob {
  readonly input: Uint8Array
  /** `none`: the input is what is signed, without a mark of its hash. */
  readonly hash: HashName | 'none'
  readonly prehashed: boolean
  /** Any text: only types with more than one algorithm look at it. */
  readonly algorithm: string
  /** Bytes; `auto` is the longest on signing and any on verifying. */
  readonly salt: number | 'auto' | 'hash'
  /** ECDSA has two forms of a signature; for the others it changes nothing here. */
  readonly marshaling: 'asn1' | 'jws'
  readonly derivation: Derivation | undefined
}

export interface Signature {
  readonly bytes: Uint8Array
  /** Only where the key was derived for this call. */
  readonly publicKey?: Uint8Array
}

/** The ability to sign and verify. */
export interface Signer {
  sign(env: Environment, key: VersionKey, job: SignJob): Outcome<Signature>
  /** @throws KernelError 400 for a malformed signature; false is for a wrong one. */
  verify(env: Environment, key: VersionKey, job: SignJob, signature: Uint8Array): Outcome<boolean>
  /** The public key of a context. */
  derivedPublicKey?(env: Environment, key: VersionKey, derivation: Derivation): Uint8Array
}

/** The ability to agree on a key with whoever has another pair of the same kind. */
export interface Agreement {
  /**
   * The secret both sides come to, which the caller wipes. @param what Names the public key in refusals.
   * @throws KernelError 400 for a public key that does not fit
   */
  secret(key: VersionKey, peerSpki: Uint8Array, what: string): Uint8Array
}

/** Estimates in microseconds, so that long batches give way in time. */
export interface Costs {
  readonly encrypt: number
  readonly decrypt: number
  readonly sign: number
  readonly verify: number
}

export interface KeyType extends Opener {
  /** What `keys` of a key read shows beside the public key; undefined where it shows creation times only. */
  readonly shownAs: string | undefined
  /** Bytes of key_size; undefined where it is not a parameter. */
  readonly sizes: { readonly least: number; readonly most: number; readonly usual: number } | undefined
  /** Encrypt makes missing keys of this type. */
  readonly upsert: boolean
  readonly derivation: boolean
  readonly convergent: boolean
  /** The key itself is the HMAC key. */
  readonly macOnly: boolean
  /** May be created, imported and used with the option `fips`. */
  readonly fips: boolean
  /** Its keys are elsewhere: what they do is a promise, they make no HMACs, and nothing rotates them but their reference. */
  readonly outside: boolean
  readonly costs: Costs
  readonly encryptor: Encryptor | undefined
  readonly signer: Signer | undefined
  /** Its certificate requests; absent where its keys have no certificates. */
  readonly x509?: X509
  /** Shared keys with others; absent where it cannot agree on any. */
  readonly agreement?: Agreement
  /** Bytes of a key that others agreed on; absent where none can be one of this type. */
  readonly agreedBytes?: number
  /** A fresh key, or for those outside the one that `ref` names. Costly or asynchronous makers go through `tx.once`. */
  readonly generate: (tx: Tx, size: number, ref?: ManagedKeyRef) => NewKey
  /** How its keys come from elsewhere and go there. */
  readonly transport: Transport
}
