/**
 * The Seal port, which protects the kernel's root key.
 */

/**
 * A seal that opens a store without people, because the application has its key or can reach it. Its methods may be called concurrently and
 * must not keep the bytes they are given. Each call has a limit of `effectTimeoutMs` (15 seconds by default). A call that takes longer
 * counts as failed (503), and its late result is wiped. `signal` is aborted then, and when the kernel closes.
 */
export interface Seal {
  /**
   * Stored in clear text and shown as `type`, so that opening the store with another kind of seal fails with a clear message. Must not be
   * `shamir`.
   */
  readonly type: string
  /** Always true: if there are shares, they are of a recovery key, which authorizes and does not open the store. */
  readonly recoveryKeys: true
  /** Returns the wrapped form of 32 bytes, with everything that `unwrap` needs later. */
  wrap(bytes: Uint8Array, signal?: AbortSignal): Promise<Uint8Array>
  /**
   * Returns the bytes, which the caller owns. Reject with a KernelError if that is impossible because of a wrong key or damaged bytes. Any
   * other error is an upstream failure (502).
   */
  unwrap(wrapped: Uint8Array, signal?: AbortSignal): Promise<Uint8Array>
  /** Whether the bytes were wrapped with a former key; the kernel then wraps them again when it opens the store. Default: never. */
  outdated?(wrapped: Uint8Array): boolean
}

/** The seal that people open: the root key is wrapped with a key that only their shares result in. */
export interface ManualSeal {
  readonly type: 'shamir'
  readonly recoveryKeys: false
}

export type AnySeal = Seal | ManualSeal

/**
 * Manual unsealing: initialization splits a key into shares for any number of people, and a threshold of them opens the store
 * (`kernel.seal.initialize`, `kernel.seal.unseal`, `sys/init`, `sys/unseal`). Without enough shares the store cannot be opened, not even by
 * the application.
 */
export const shamirSeal = (): ManualSeal => ({ type: 'shamir', recoveryKeys: false })

/** Whether the seal opens a store without shares. */
export const isAutomatic = (seal: AnySeal): seal is Seal => seal.recoveryKeys

/** @throws TypeError if the value is not a seal. */
export function checkSeal(seal: unknown, name: string): void {
  const { type, recoveryKeys, wrap, unwrap } = (typeof seal === 'object' && seal !== null ? seal : {}) as Partial<Seal>
  const automatic = recoveryKeys === true && typeof wrap === 'function' && typeof unwrap === 'function'
  const manual = (type as string) === 'shamir' && !recoveryKeys
  if (typeof type !== 'string' || type === '' || !(manual || (automatic && type !== 'shamir')))
    throw new TypeError(`createKernel: ${name} must be a seal, such as shamirSeal() or keySeal(key)`)
}
