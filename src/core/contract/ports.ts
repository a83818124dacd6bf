import type { HashName } from '../crypto/backend.ts'
import type { AuditPort } from './audit-port.ts'
import type { LocalEnvironment, TokenReviewer } from './token-reviewer.ts'

/** Which key of an HSM or a KMS is meant: by its name, its id, or both, as the caller of the kernel gave them. */
export interface ManagedKeyRef {
  readonly name?: string
  readonly id?: string
}

/** How a digest becomes a signature. Keys that have one way only look at none of it. */
export interface ManagedSigning {
  /** The hash the digest was made with; `none` for bytes that are signed as they are. */
  readonly hash: HashName | 'none'
  /** The caller of the kernel had made the digest already. */
  readonly prehashed: boolean
  /** For RSA: `pss`, `pkcs1v15`, or empty for the default, which is `pss`. */
  readonly algorithm: string
  /** For PSS: bytes; `auto` is the longest on signing and any on verifying. */
  readonly salt: number | 'auto' | 'hash'
  /** ECDSA signatures: DER, or r and s one behind the other. */
  readonly marshaling: 'asn1' | 'jws'
}

/**
 * Keys that never leave an HSM or a KMS. Without this port there are no keys of type managed_key.
 *
 * All methods may be called concurrently and more than once for one request. Bytes are lent: copy what is kept. Each call has
 * `effect_timeout_ms` (15 seconds by default); one that takes longer counts as failed, and what comes of it is not
 * looked at any more. `signal` is aborted then, and when the kernel closes. Throw a `KernelError` to refuse with its status; anything else that is thrown is answered as the failure of a third
 * party (502, `ERR_UPSTREAM`), and the error never leaves the kernel but as `cause`.
 */
export interface ManagedKeys {
  /** Whatever it resolves is what {@link decrypt} gets back; associated data is not part of it. */
  encrypt(key: ManagedKeyRef, plaintext: Uint8Array, associatedData: Uint8Array, signal: AbortSignal): Promise<Uint8Array>
  /** Undefined when it does not authenticate, whatever the reason. */
  decrypt(
    key: ManagedKeyRef,
    ciphertext: Uint8Array,
    associatedData: Uint8Array,
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined>
  sign(key: ManagedKeyRef, digest: Uint8Array, how: ManagedSigning, signal: AbortSignal): Promise<Uint8Array>
  /** False for anything but a right signature. */
  verify(
    key: ManagedKeyRef,
    digest: Uint8Array,
    signature: Uint8Array,
    how: ManagedSigning,
    signal: AbortSignal,
  ): Promise<boolean>
  /**
   * SubjectPublicKeyInfo as DER, or undefined for a key without a public half. Asked once for each new version, so this is where a key
   * that is not there is refused.
   */
  publicKey(key: ManagedKeyRef, signal: AbortSignal): Promise<Uint8Array | undefined>
}

/**
 * Encrypts shares and tokens to people's PGP keys. Without this port nothing can be given a PGP key.
 *
 * Both methods may be called concurrently. Each call has `effect_timeout_ms` (15 seconds by default); one that takes longer counts as
 * failed. `signal` is aborted then, and when the kernel closes. A key is base64 (standard, padded) of a binary public key. Throw a `KernelError` with status
 * 400 for a key that cannot be read or cannot encrypt; anything else that is thrown is answered as the failure of a third party (502).
 */
export interface Pgp {
  /**
   * A binary OpenPGP message, without armour. It is tried with every key when that is first given, so that a key nobody can encrypt to is
   * refused before it costs anything.
   * @param bytes Lent: copy what is kept.
   * @param at Milliseconds; the kernel's time, by which a key has expired or has not. Absent: the machine's.
   */
  encrypt(bytes: Uint8Array, publicKey: string, at?: number, signal?: AbortSignal): Promise<Uint8Array>
  /** Of the primary key: lower-case hexadecimal, 40 digits for keys of version 4. */
  fingerprint(publicKey: string, signal?: AbortSignal): Promise<string>
}

/** Each may be left out; what needs it then says so, naming the option. */
export interface Ports {
  readonly managedKeys?: ManagedKeys
  readonly pgp?: Pgp
  /** Asked at logins of an orchestrator's service accounts. */
  readonly tokenReviewer?: TokenReviewer
  /** Where the kernel runs inside an orchestrator. */
  readonly localEnvironment?: LocalEnvironment
  /** Who asked for what, in logs that nobody changes unnoticed. Without it nothing is recorded. */
  readonly audit?: AuditPort
}
