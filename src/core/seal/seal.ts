/**
 * The Seal port: what protects the kernel's root key.
 */

/**
 * A seal that opens a store on its own, because the application holds its key or can reach it. Its methods may be called concurrently
 * and must not keep the bytes they are given. Each call has `effectTimeoutMs` (15 seconds by default); one that takes longer counts
 * as failed (503), and its late result is wiped. `signal` is aborted then, and when the kernel closes.
 */
export interface Seal {
  /**
   * Stored in the clear and shown as `type`, so that opening the store with another kind of seal fails with a clear message. Not
   * `shamir`.
   */
  readonly type: string
  /** Always true: any shares are of a recovery key, which authorises and opens nothing. */
  readonly recoveryKeys: true
  /** Returns the wrapped form of 32 bytes, with everything `unwrap` needs later. */
  wrap(bytes: Uint8Array, signal?: AbortSignal): Promise<Uint8Array>
  /**
   * Returns the bytes, which the caller owns. Reject with a KernelError when that is impossible: wrong key, damaged wrapping. Any other
   * error is a failure of a third party (502).
   */
  unwrap(wrapped: Uint8Array, signal?: AbortSignal): Promise<Uint8Array>
  /** Whether the wrapped bytes were made with a former key: the kernel then wraps them again, when it opens the store. Default: never. */
  outdated?(wrapped: Uint8Array): boolean
}

/** The seal that people open: the root key is wrapped by a key that only their shares give. */
export interface ManualSeal {
  readonly type: 'shamir'
  readonly recoveryKeys: false
}

export type AnySeal = Seal | ManualSeal

/**
 * Manual unsealing: initialising splits a key into shares for any number of people, and a threshold of them opens the store
 * (`kernel.seal.initialize`, `kernel.seal.unseal`, `sys/init`, `sys/unseal`). Nobody else can, the application included.
 */
export const shamirSeal = (): ManualSeal => ({ type: 'shamir', recoveryKeys: false })

/** Whether the seal opens a store without shares. */
export const isAutomatic = (seal: AnySeal): seal is Seal => seal.recoveryKeys

/** @throws TypeError for a value that is no seal. */
export function checkSeal(seal: unknown, name: string): void {
  const { type, recoveryKeys, wrap, unwrap } = (typeof seal === 'object' && seal !== null ? seal : {}) as Partial<Seal>
  const automatic = recoveryKeys === true && typeof wrap === 'function' && typeof unwrap === 'function'
  const manual = (type as string) === 'shamir' && !recoveryKeys
  if (typeof type !== 'string' || type === '' || !(manual || (automatic && type !== 'shamir')))
    throw new TypeError(`createKernel: ${name} must be a seal, such as shamirSeal() or keySeal(key)`)
}
