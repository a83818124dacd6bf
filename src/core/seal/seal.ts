/**
 * The Seal port, which protects the kernel's root key.
 */

/**
 * An automatic seal: it unseals a store without people, because the application has the seal's key or can use it. The kernel may call the
 * methods concurrently. A method must not keep the bytes that it is given. Each call has a time limit of `effectTimeoutMs` (15 seconds by
 * default). A call that exceeds the limit fails with 503, and its late result is wiped. `signal` is aborted at the limit and when the
 * kernel closes.
 */
export interface Seal {
  /**
   * The type of the seal. It is stored in clear text and shown as `type`. It lets the kernel report clearly that a store has another type
   * of seal. Must not be `shamir`.
   */
  readonly type: string
  /**
   * Always true. If the store has shares, they are shares of the recovery key. This key authorizes operations such as generate-root, but
   * does not unseal the store.
   */
  readonly recoveryKeys: true
  /** Wraps 32 bytes. The result must contain everything that `unwrap` needs later. */
  wrap(bytes: Uint8Array, signal?: AbortSignal): Promise<Uint8Array>
  /**
   * Returns the unwrapped bytes. The kernel takes ownership of them. Reject with a `KernelError` if the key is wrong or the bytes are
   * damaged. Any other error is reported as an upstream failure (502).
   */
  unwrap(wrapped: Uint8Array, signal?: AbortSignal): Promise<Uint8Array>
  /** Whether the bytes were wrapped with a former key. If so, the kernel wraps them again when it unseals the store. Default: never. */
  outdated?(wrapped: Uint8Array): boolean
}

/** The seal that people open with shares. The root key is wrapped with a key that can only be reconstructed from the shares. */
export interface ManualSeal {
  readonly type: 'shamir'
  readonly recoveryKeys: false
}

export type AnySeal = Seal | ManualSeal

/**
 * Manual unsealing. Initialization splits a key into shares for any number of people; a threshold number of shares unseals the store
 * (`kernel.seal.initialize`, `kernel.seal.unseal`, `sys/init`, `sys/unseal`). With fewer shares, the store cannot be unsealed, not even by
 * the application.
 */
export const shamirSeal = (): ManualSeal => ({ type: 'shamir', recoveryKeys: false })

/** Whether the seal is automatic, so that the store is unsealed without shares. */
export const isAutomatic = (seal: AnySeal): seal is Seal => seal.recoveryKeys

/** @throws TypeError if the value is not a seal. */
export function checkSeal(seal: unknown, name: string): void {
  const { type, recoveryKeys, wrap, unwrap } = (typeof seal === 'object' && seal !== null ? seal : {}) as Partial<Seal>
  const automatic = recoveryKeys === true && typeof wrap === 'function' && typeof unwrap === 'function'
  const manual = (type as string) === 'shamir' && !recoveryKeys
  if (typeof type !== 'string' || type === '' || !(manual || (automatic && type !== 'shamir')))
    throw new TypeError(`createKernel: ${name} must be a seal, such as shamirSeal() or keySeal(key)`)
}
