import { isBytes, portMethods } from '../../core/contract/ports.ts'
import type { HashName } from '../../core/crypto/backend.ts'

/** Identifies a key in an HSM or a KMS by name, by id, or by name and id, as the caller of the kernel supplied them. */
export interface ManagedKeyRef {
  readonly name?: string
  readonly id?: string
}

/** How to sign a digest. Keys that can sign in only one way ignore these settings. */
export interface ManagedSigning {
  /** The hash function that produced the digest; `none` for bytes that are signed as they are. */
  readonly hash: HashName | 'none'
  /** Whether the caller of the kernel supplied the digest. Otherwise the kernel computed it. */
  readonly prehashed: boolean
  /** The padding of RSA signatures: `pss`, `pkcs1v15`, or empty for the default, `pss`. */
  readonly algorithm: string
  /** The length of a PSS salt in bytes. `auto` means the longest possible salt for signing and any salt for verification. */
  readonly salt: number | 'auto' | 'hash'
  /** The form of ECDSA signatures: DER (`asn1`), or r and s concatenated (`jws`). */
  readonly marshaling: 'asn1' | 'jws'
}

/**
 * Keys that never leave an HSM or a KMS. Without this port the kernel has no keys of type managed_key.
 *
 * All methods may be called concurrently, and more than once for one request. Byte arrays are lent: copy them to keep them. A call that
 * takes longer than `effectTimeoutMs` (default 15 seconds) fails, and its result is ignored. `signal` is aborted when a call takes too
 * long, and when the kernel closes.
 *
 * Throw a `KernelError` to refuse a call with its status. Any other error becomes a 502 (`ERR_UPSTREAM`) with the error as `cause`.
 */
export interface ManagedKeys {
  /** Returns the bytes that {@link decrypt} takes. They do not contain the associated data. */
  encrypt(key: ManagedKeyRef, plaintext: Uint8Array, associatedData: Uint8Array, signal: AbortSignal): Promise<Uint8Array>
  /** Returns the plaintext, or undefined if authentication fails for any reason. */
  decrypt(
    key: ManagedKeyRef,
    ciphertext: Uint8Array,
    associatedData: Uint8Array,
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined>
  sign(key: ManagedKeyRef, digest: Uint8Array, how: ManagedSigning, signal: AbortSignal): Promise<Uint8Array>
  /** Verifies a signature. Returns true only for a valid one. */
  verify(
    key: ManagedKeyRef,
    digest: Uint8Array,
    signature: Uint8Array,
    how: ManagedSigning,
    signal: AbortSignal,
  ): Promise<boolean>
  /**
   * SubjectPublicKeyInfo as DER, or undefined for a key without a public half. Called once for each new version: throw if the key does not
   * exist.
   */
  publicKey(key: ManagedKeyRef, signal: AbortSignal): Promise<Uint8Array | undefined>
}

declare module '../../core/contract/ports.ts' {
  interface Ports {
    readonly managedKeys?: ManagedKeys
  }
}

export const MANAGED_KEYS = /* @__PURE__ */ portMethods<ManagedKeys>({
  encrypt: { signalAt: 3, answers: isBytes },
  decrypt: { signalAt: 3, answers: (answer) => answer === undefined || isBytes(answer) },
  sign: { signalAt: 3, answers: isBytes },
  verify: { signalAt: 4, answers: (answer) => typeof answer === 'boolean' },
  publicKey: { signalAt: 1, answers: (answer) => answer === undefined || isBytes(answer) },
})
