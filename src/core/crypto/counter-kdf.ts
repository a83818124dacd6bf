/**
 * The oldest key derivation of the encryption engine (kdf 0, `hmac-sha256-counter`). Source: NIST SP 800-108 in counter mode as the
 * originals wrote it: the counter starts at 0 and no label or zero byte is used.
 */
import type { CryptoBackend } from './backend.ts'

const BITS = 256

/**
 * HMAC-SHA256(key, uint32be block || context || uint32be 256): always 32 bytes, the caller's.
 * @param block The originals know the first alone.
 */
export function counterKdf(crypto: CryptoBackend, key: Uint8Array, context: Uint8Array, block = 0): Uint8Array {
  const input = new Uint8Array(4 + context.length + 4)
  const view = new DataView(input.buffer)
  view.setUint32(0, block)
  input.set(context, 4)
  view.setUint32(4 + context.length, BITS)
  const mac = crypto.hmac('sha2-256', key)
  try {
    return mac.mac(input)
  } finally {
    mac.wipe()
  }
}
