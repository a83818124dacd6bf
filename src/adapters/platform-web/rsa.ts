/**
 * No RSA: WebCrypto has no raw operation, and each of its operations binds a key to one hash and one padding. So key types that need RSA
 * are refused on this platform, unless the application sets the option `rsa`.
 */
import { KernelError } from '../../core/base/errors.ts'
import type { RsaArithmetic } from '../../core/crypto/rsa/arithmetic.ts'

function missing(): never {
  throw new KernelError(
    'ERR_INVALID_REQUEST',
    'RSA: this platform has no RSA arithmetic; set the option rsa, for example to forgeRsa() of strongroom/crypto/forge, or use another key type',
  )
}

export const rsa: RsaArithmetic = {
  // An async function, so that it rejects and does not throw.
  generate: async () => missing(),
  openPublic: missing,
  openPrivate: missing,
}
