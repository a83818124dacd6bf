/**
 * Keys that are elsewhere: the port of the encryption engine.
 */
import { isBytes, portMethods } from '../../core/contract/ports.ts'
import type { HashName } from '../../core/crypto/backend.ts'

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
