/**
 * The Seal port: what protects the kernel's root key.
 */

/**
 * A seal that opens a store on its own, because the application holds its key or reaches it. Its methods may be called concurrently and
 * must not keep the bytes they are given. Each call has `effect_timeout_ms` (15 seconds by default); one that takes longer counts as
 * failed (503), and bytes that come later are wiped. `signal` is aborted then, and when the kernel closes.
 */
export interface Seal {
  /** Written into the store in the clear and shown as `type`, so that opening it with another kind of seal says so. Not `shamir`. */
  readonly type: string
  /** Always: shares, where there are any, are of a recovery key that authorises and opens nothing. */
  readonly recoveryKeys: true
  /** Wrapped form of 32 bytes; whatever `unwrap` needs later. */
  wrap(bytes: Uint8Array, signal?: AbortSignal): Promise<Uint8Array>
  /** The bytes back, the caller's own. Reject with a KernelError when they cannot be: wrong key, damaged wrapping. Anything else is a failure of a third party (502). */
  unwrap(wrapped: Uint8Array, signal?: AbortSignal): Promise<Uint8Array>
  /** Whether what lies wrapped was wrapped with a former key: the kernel then wraps it again, when it opens the store. Default: never. */
  outdated?(wrapped: Uint8Array): boolean
}

/** The seal that people open: what is stored is wrapped by a key that only their shares give. */
export interface ManualSeal {
  readonly type: 'shamir'
  readonly recoveryKeys: false
}

export type AnySeal = Seal | ManualSeal

/**
 * Manual unsealing: initialising splits a key into shares for as many people as wanted, of which a threshold opens the store
 * (`kernel.seal.initialize`, `kernel.seal.unseal`, `sys/init`, `sys/unseal`). Nobody else can, the application included.
 */
export const shamirSeal = (): ManualSeal => ({ type: 'shamir', recoveryKeys: false })

/** Whether the seal opens a store without anybody's shares. */
export const isAutomatic = (seal: AnySeal): seal is Seal => seal.recoveryKeys

/** @throws TypeError for what is no seal. */
export function checkSeal(seal: unknown, name: string): void {
  const { type, recoveryKeys, wrap, unwrap } = (typeof seal === 'object' && seal !== null ? seal : {}) as Partial<Seal>
  const automatic = recoveryKeys === true && typeof wrap === 'function' && typeof unwrap === 'function'
  const manual = (type as string) === 'shamir' && !recoveryKeys
  if (typeof type !== 'string' || type === '' || !(manual || (automatic && type !== 'shamir')))
    throw new TypeError(`createKernel: ${name} must be a seal, such as shamirSeal() or keySeal(key)`)
}
