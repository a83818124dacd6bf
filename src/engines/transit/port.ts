/** The port of the encryption engine for keys that an HSM or a KMS keeps. */
import { isBytes, portMethods } from '../../core/contract/ports.ts'
import type { HashName } from '../../core/crypto/backend.ts'

/** Names a key of an HSM or a KMS: by its name, its id, or both, as the caller of the kernel gave them. */
export interface ManagedKeyRef {
  readonly name?: string
  readonly id?: string
}

/** How a digest is signed. Keys with only one way to sign ignore it. */
export interface ManagedSigning {
  /** The hash the digest was made with; `none` for bytes that are signed as they are. */
  readonly hash: HashName | 'none'
  /** Whether the kernel's caller gave the digest already. */
  readonly prehashed: boolean
  /** For RSA: `pss`, `pkcs1v15`, or empty for the default, which is `pss`. */
  readonly algorithm: string
  /** For PSS: bytes; `auto` is the longest on signing and any on verifying. */
  readonly salt: number | 'auto' | 'hash'
  /** ECDSA signatures: DER, or r and s concatenated. */
  readonly marshaling: 'asn1' | 'jws'
}

/**
 * Keys that never leave an HSM or a KMS. Without this port there are no keys of type managed_key.
 *
 * All methods may be called concurrently and more than once for one request. Bytes are lent: copy those to be kept. Each call has
 * `effectTimeoutMs` (15 seconds by default); a longer one counts as failed, and its result is ignored. `signal` is aborted
 * then, and when the kernel closes. Throw a `KernelError` to refuse with its status; any other error is answered as the failure
 * of a third party (502, `ERR_UPSTREAM`), and leaves the kernel only as `cause`.
 */
export interface ManagedKeys {
  /** {@link decrypt} gets these bytes back; associated data is not part of them. */
  encrypt(key: ManagedKeyRef, plaintext: Uint8Array, associatedData: Uint8Array, signal: AbortSignal): Promise<Uint8Array>
  /** Undefined when authentication fails, whatever the reason. */
  decrypt(
    key: ManagedKeyRef,
    ciphertext: Uint8Array,
    associatedData: Uint8Array,
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined>
  sign(key: ManagedKeyRef, digest: Uint8Array, how: ManagedSigning, signal: AbortSignal): Promise<Uint8Array>
  /** True only for a valid signature. */
  verify(
    key: ManagedKeyRef,
    digest: Uint8Array,
    signature: Uint8Array,
    how: ManagedSigning,
    signal: AbortSignal,
  ): Promise<boolean>
  /**
   * SubjectPublicKeyInfo as DER, or undefined for a key without a public half. Called once for each new version, so a missing key
   * is to be refused here.
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
