import { KernelError } from '../base/errors.ts'
import type { Seal } from './seal.ts'

/**
 * A client of a key management service or HSM. The key never leaves the service. The kernel may call the methods concurrently. A method
 * must copy the bytes that it is given if it keeps them after it has returned. If a method rejects with a `KernelError`, the caller of the
 * kernel gets that error; any other error is reported as an upstream failure (502).
 */
export interface KmsClient {
  /** The type of the seal, such as `awskms`. It is stored and shown, so do not change it. Default: `kms`. */
  readonly type?: string
  /** Encrypts 32 bytes. `unwrap` is later called with the same result, which may contain, for example, the id of the key. */
  wrap(bytes: Uint8Array, signal?: AbortSignal): Promise<Uint8Array>
  unwrap(wrapped: Uint8Array, signal?: AbortSignal): Promise<Uint8Array>
  /** Whether the bytes were wrapped with a key that is no longer the current key. If so, the kernel wraps them again. Default: never. */
  outdated?(wrapped: Uint8Array): boolean
}

/**
 * An automatic seal that uses a client of your own. The kernel calls the client when it initializes or unseals a store, when it checks
 * recovery shares, and when it changes the root key. Other requests never wait for the service.
 * @throws TypeError if the client lacks one of the methods, or if its type is invalid.
 */
export function kmsSeal(client: KmsClient): Seal {
  if (typeof client?.wrap !== 'function' || typeof client.unwrap !== 'function')
    throw new TypeError('kmsSeal: the client must have the methods wrap and unwrap')
  const { type = 'kms' } = client
  if (typeof type !== 'string' || type === '' || type === 'shamir' || type === 'static')
    throw new TypeError('kmsSeal: type must be a non-empty string other than shamir and static')
  return {
    type,
    recoveryKeys: true,
    wrap: (bytes, signal) => ask('wrap', () => client.wrap(bytes.slice(), signal)),
    unwrap: (wrapped, signal) => ask('unwrap', () => client.unwrap(wrapped.slice(), signal)),
    outdated: (wrapped) => client.outdated?.(wrapped.slice()) ?? false,
  }
}

async function ask(method: string, call: () => Promise<Uint8Array>): Promise<Uint8Array> {
  let answer: unknown
  try {
    answer = await call()
  } catch (cause) {
    if (cause instanceof KernelError) throw cause
    throw new KernelError('ERR_UPSTREAM', `kmsSeal: the key management service failed or refused to ${method}`, { cause })
  }
  if (answer instanceof Uint8Array) return new Uint8Array(answer)
  throw new KernelError('ERR_UPSTREAM', `kmsSeal: the client's ${method} did not resolve to bytes`)
}
