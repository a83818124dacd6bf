import { KernelError } from '../base/errors.ts'
import type { Seal } from './seal.ts'

/**
 * A client of a key management service or HSM, which the key never leaves. Both methods may be called concurrently. The bytes are lent:
 * copy what you keep. Errors are answered as upstream failures (502), except a `KernelError`, which is passed on unchanged.
 */
export interface KmsClient {
  /** Shown as the type of the seal, such as `awskms`. Default `kms`. It is stored, so do not change it. */
  readonly type?: string
  /** Encrypts 32 bytes. `unwrap` gets the result back unchanged, for example a ciphertext with the id of its key. */
  wrap(bytes: Uint8Array, signal?: AbortSignal): Promise<Uint8Array>
  unwrap(wrapped: Uint8Array, signal?: AbortSignal): Promise<Uint8Array>
  /** Whether the bytes were wrapped with a key that is no longer current; the kernel then wraps them again. Default: never. */
  outdated?(wrapped: Uint8Array): boolean
}

/**
 * An automatic seal that uses your client. The service is called when a store is initialized or opened, when recovery shares are checked,
 * and when the root key changes. Other requests never wait for it.
 * @throws TypeError if the client lacks one of the methods or has an invalid type.
 */
export function kmsSeal(client: KmsClient): Seal {
  if (typeof client?.wrap !== 'function' || typeof client.unwrap !== 'function')
    throw new TypeError('kmsSeal: the client must have the methods wrap and unwrap')
  const { type = 'kms' } = client
  if (typeof type !== 'string' || type === '' || type === 'shamir' || type === 'static')
    throw new TypeError('kmsSeal: type must be a name of your own')
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
