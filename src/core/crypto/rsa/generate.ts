/**
 * RSA key generation off the event loop. Source: FIPS 186-5 appendix A.1, done by the platform.
 */
import { rsa } from '#platform/rsa'
import type { RsaBits } from './arithmetic.ts'

/** A new private key as PKCS#8 DER, public exponent 65537. The bytes belong to the caller, who wipes them. Takes 0.1 to 2 seconds. */
export const generateRsaKey = (bits: RsaBits): Promise<Uint8Array> => rsa.generate(bits)
