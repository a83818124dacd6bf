import type { CryptoBackend } from '../backend.ts'
import type { RsaArithmetic, RsaPort } from './arithmetic.ts'

/**
 * Returns a backend that does RSA with `rsa` and everything else with `backend`. Worker threads do not have the implementation of RSA, so
 * the result does not count as a built-in backend. The methods are listed because the backend may be an instance of a
 * class, whose methods a spread would not copy.
 */
export const withRsa = (backend: CryptoBackend, rsa: RsaArithmetic): CryptoBackend =>
  Object.freeze<CryptoBackend>({
    name: backend.name,
    aead: (...args) => backend.aead(...args),
    hash: (...args) => backend.hash(...args),
    hmac: (...args) => backend.hmac(...args),
    hkdf: (...args) => backend.hkdf(...args),
    ed25519Sign: (...args) => backend.ed25519Sign(...args),
    ed25519Verify: (...args) => backend.ed25519Verify(...args),
    ecdsaGenerate: (...args) => backend.ecdsaGenerate(...args),
    ecdsaSign: (...args) => backend.ecdsaSign(...args),
    ecdsaVerify: (...args) => backend.ecdsaVerify(...args),
    x25519: (...args) => backend.x25519(...args),
    rsa,
  })

/** @throws TypeError if the option `rsa` is not an RSA port, for example because `await` is missing. */
export function checkRsaPort(callee: string, rsa: RsaPort | undefined): void {
  if (rsa !== undefined && typeof (rsa as Partial<RsaPort> | null)?.open !== 'function')
    throw new TypeError(`${callee}: rsa has no method open; pass the result of await forgeRsa()`)
}
