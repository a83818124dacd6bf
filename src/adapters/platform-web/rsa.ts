/**
 * No RSA. WebCrypto has no bare operation, and each of its own is bound to one hash and one padding per key, so the key types that need
 * RSA are refused where there is nothing better.
 */
import { KernelError } from '../../core/base/errors.ts'
import type { RsaArithmetic } from '../../core/crypto/rsa/arithmetic.ts'

function missing(): never {
  throw new KernelError('ERR_INVALID_REQUEST', 'RSA: this platform has no RSA arithmetic; take another type of key, or Node')
}

export const rsa: RsaArithmetic = {
  // A promise that rejects, as the port's method would.
  generate: async () => missing(),
  openPublic: missing,
  openPrivate: missing,
}
