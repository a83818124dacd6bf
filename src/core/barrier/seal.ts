/**
 * The Seal port, and the seal whose key the application holds.
 * Room: core/barrier. Imported by the barrier's start-up, the composition root and users.
 */
import { toUtf8 } from '../bytes.ts'
import type { AeadKey } from '../crypto/backend.ts'
import { nobleCrypto } from '../crypto/noble/index.ts'
import { type Entropy, systemEntropy } from '../entropy.ts'
import { KernelError } from '../errors.ts'

/** Protects the kernel's root key. Both methods may be called concurrently and must not keep the bytes they are given. */
export interface Seal {
  /** Written into the store in the clear, so that opening it with another kind of seal says so. */
  readonly type: string
  /** The seal unseals on its own; operator shares, where there are any, are recovery keys. */
  readonly recoveryKeys: boolean
  /** Wrapped form of 32 bytes; whatever `unwrap` needs later. */
  wrap(bytes: Uint8Array): Promise<Uint8Array>
  /** The bytes back. Reject with a KernelError when they cannot be: wrong key, damaged wrapping. */
  unwrap(wrapped: Uint8Array): Promise<Uint8Array>
}

const AAD = /* @__PURE__ */ toUtf8('strongroom seal v1')
const NONCE_BYTES = 12

/**
 * A seal with a 256-bit key the application keeps, for instance in the environment or in a cloud's secret store. The store can be
 * opened by whoever has this key and by nobody else; losing it loses everything in the store.
 *
 * @param key 32 bytes; copied, so the caller may wipe its own.
 * @throws TypeError when `key` is anything else.
 */
export function keySeal(key: Uint8Array, options: { readonly entropy?: Entropy } = {}): Seal {
  if (!(key instanceof Uint8Array) || key.length !== 32) throw new TypeError('keySeal: key must be a Uint8Array of 32 bytes')
  const entropy = options.entropy ?? systemEntropy()
  const aead: AeadKey = nobleCrypto().aead('aes-gcm', key)
  return {
    type: 'key',
    recoveryKeys: true,
    async wrap(bytes) {
      const out = new Uint8Array(NONCE_BYTES + bytes.length + 16)
      const nonce = entropy.bytes(NONCE_BYTES)
      out.set(nonce)
      aead.seal(nonce, bytes, AAD, out, NONCE_BYTES)
      return out
    },
    async unwrap(wrapped) {
      const opened =
        wrapped.length < NONCE_BYTES + 16
          ? undefined
          : aead.open(wrapped.subarray(0, NONCE_BYTES), wrapped.subarray(NONCE_BYTES), AAD)
      if (!opened)
        throw new KernelError('ERR_SEALED', 'keySeal: this key does not open the store; it was sealed with another one')
      return opened
    },
  }
}
