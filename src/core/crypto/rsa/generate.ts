/**
 * RSA key generation off the event loop. Source: FIPS 186-5 appendix A.1, done by OpenSSL on a thread of the pool.
 */
import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'

export type RsaBits = 2048 | 3072 | 4096

const generate = promisify(generateKeyPair)

/**
 * A new private key as PKCS#8 DER, public exponent 65537. The bytes belong to the caller, who wipes them. Takes 0.1 to 2 seconds of
 * another thread; the primes come from OpenSSL's own generator, there is no way to inject one.
 */
export async function generateRsaKey(bits: RsaBits): Promise<Uint8Array> {
  const { privateKey } = await generate('rsa', {
    modulusLength: bits,
    publicExponent: 0x10001,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  })
  const der = Uint8Array.from(privateKey)
  privateKey.fill(0)
  return der
}
