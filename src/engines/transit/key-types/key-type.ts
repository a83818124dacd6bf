/**
 * The interface of a key type. Each family of types has one module, and index.ts has the table. The rest of the engine knows no type by its
 * name.
 */
import type { DeferredCode } from '../../../core/base/deferred-code.ts'
import type { StepsOutcome } from '../../../core/base/steps.ts'
import type { Environment } from '../../../core/contract/environment.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import type { X509SignatureAlgorithm } from '../../../core/crypto/asn1/signature-algorithms.ts'
import type { HashName } from '../../../core/crypto/backend.ts'
import type { BuiltInBackend } from '../../../core/crypto/built-in-backends.ts'
import type { Opener, VersionKey } from '../material.ts'
import type { ManagedKeyRef } from '../port.ts'
import type { ArchiveNumbers, KeyCodec } from './key-codec.ts'
import type { NewKey } from './new-key.ts'

/** How the key of one call is derived. */
export interface Derivation {
  readonly kdf: 0 | 1
  /** The context of the call, which is never empty. */
  readonly context: Uint8Array
  /** 0: random nonces. 1 to 3: convergent encryption with the nonces of that version, as in Vault. */
  readonly convergent: number
}

interface CryptoJob {
  /**
   * Compute the result in one call, without pauses for the event loop, because the caller is synchronous. Long input then blocks the event
   * loop.
   */
  readonly sync?: true | undefined
}

export interface SealJob extends CryptoJob {
  readonly plaintext: Uint8Array
  readonly associatedData: Uint8Array
  readonly derivation: Derivation | undefined
  /** Only for convergent version 1: the caller supplies the nonce, and the ciphertext does not contain it. */
  readonly nonce: Uint8Array | undefined
}

export interface OpenJob extends Omit<SealJob, 'plaintext'> {
  readonly sealed: Uint8Array
}

export interface Encryptor {
  /** Whether associated data is accepted. */
  readonly aead: boolean
  /** Whether nonces are random and have 96 bits. A key tolerates 2^32 such nonces, so every encryption is counted. */
  readonly counted: boolean
  /** Returns the body of a ciphertext. */
  seal(env: Environment, key: VersionKey, job: SealJob): StepsOutcome<Uint8Array>
  /** Undefined if authentication fails, for whatever reason. */
  open(env: Environment, key: VersionKey, job: OpenJob): StepsOutcome<Uint8Array | undefined>
}

export interface SignJob extends CryptoJob {
  readonly input: Uint8Array
  /** `none`: the input is signed as it is, without an identifier of its hash. */
  readonly hash: HashName | 'none'
  readonly prehashed: boolean
  /** The signature algorithm, as the request names it. RSA validates it, and other types ignore it. */
  readonly algorithm: string
  /** The salt length of PSS in bytes; `hash`: as long as the hash; `auto`: the longest possible salt for signing, any for verification. */
  readonly salt: number | 'auto' | 'hash'
  /** The encoding of an ECDSA signature; other types ignore it. */
  readonly marshaling: 'asn1' | 'jws'
  readonly derivation: Derivation | undefined
}

/** The signing parameters that all items of a request share. */
export type SigningRules = Omit<SignJob, 'input' | 'derivation' | 'sync'>

export interface Signature {
  readonly bytes: Uint8Array
  /** Set only if the key was derived for this call. */
  readonly publicKey?: Uint8Array
}

export interface Signer {
  sign(env: Environment, key: VersionKey, job: SignJob): StepsOutcome<Signature>
  /** Returns false for a wrong signature. @throws KernelError 400 for a malformed one */
  verify(env: Environment, key: VersionKey, job: SignJob, signature: Uint8Array): StepsOutcome<boolean>
  /** Computes the public key of the key pair that is derived from `key` for a context. */
  derivedPublicKey?(env: Environment, key: VersionKey, derivation: Derivation): Uint8Array
}

/** Key agreement with the owner of another key pair of the same kind. */
export interface Agreement {
  /**
   * Computes the shared secret, which the caller wipes.
   * @param what Names the public key in error messages.
   * @throws KernelError 400 for an invalid public key
   */
  secret(key: VersionKey, peerSpki: Uint8Array, what: string): Uint8Array
}

/**
 * Estimated costs in microseconds. Long batches add them up to decide when to yield to the event loop, and whether worker threads compute an
 * item faster.
 */
export interface Costs {
  readonly encrypt: number
  readonly decrypt: number
  readonly sign: number
  readonly verify: number
}

/** The facts about a key type. They are known before the code of the type is loaded. */
export interface KeyFacts {
  /**
   * The name of the type that a key read returns with the public key of each version. Undefined if a key read returns only the creation time
   * of each version.
   */
  readonly displayName: string | undefined
  /** Limits of `key_size` in bytes; undefined if the type has a fixed size. */
  readonly keySizes: { readonly min: number; readonly max: number; readonly default: number } | undefined
  /** Whether `encrypt` creates missing keys of this type. */
  readonly upsert: boolean
  readonly canDerive: boolean
  readonly canConverge: boolean
  /** Whether the key itself is the HMAC key, so that it can only compute HMACs. */
  readonly macOnly: boolean
  /** Whether the option `fips` allows keys of this type. */
  readonly fips: boolean
  /**
   * Whether an HSM or a KMS keeps the keys. Operations with such keys are asynchronous, the keys compute no HMACs, and a rotation only
   * changes the reference.
   */
  readonly isManaged: boolean
  /** @param prehashed Whether the input of signatures is a digest, which most platforms cannot sign. */
  readonly costs: (env: Pick<Environment, 'crypto' | 'entropy'>, prehashed?: boolean) => Costs
  /**
   * The backends that compute long work with these keys in one call on the event loop. The other backends pause regularly or use the
   * platform's threads.
   */
  readonly blockingBackends: readonly BuiltInBackend[]
  /** The size in bytes of a key of this type that a key agreement produces; undefined if it cannot produce this type. */
  readonly agreedKeyBytes?: number
  /** The numbers of the type in backups. */
  readonly numbers: ArchiveNumbers
  /** The code of the type that is loaded when it is first needed. The functions of the type throw `CodeNotLoadedError` before. */
  readonly code: readonly DeferredCode[]
}

/** The functions of a key type. */
export interface KeyFunctions extends Opener {
  readonly encryptor: Encryptor | undefined
  readonly signer: Signer | undefined
  /** The signature algorithm of certificates and certificate requests; undefined if keys of this type cannot have them. */
  readonly x509?: X509SignatureAlgorithm | undefined
  /** The key agreement of this type; undefined if keys of this type cannot make one. */
  readonly agreement?: Agreement | undefined
  /** Generates a key. For managed types: checks the reference `ref`. Slow or asynchronous generation uses `tx.once`. */
  readonly generate: (tx: Tx, size: number, ref?: ManagedKeyRef) => NewKey
  readonly codec: KeyCodec
}

/** The names of the types whose functions are loaded when they are first needed. */
export type DeferredTypeName = 'ed25519' | `ecdsa-p${256 | 384 | 521}` | `rsa-${2048 | 3072 | 4096}` | 'managed_key'

export interface KeyType extends KeyFacts, KeyFunctions {}

/**
 * The functions of a key type are synchronous, and computations after a commit use them too. So the body of an operation calls this
 * function first.
 * @throws CodeNotLoadedError if code of the type is not loaded
 */
export function assertLoaded({ code }: KeyType): void {
  for (const part of code) part.assertLoaded()
}
