import { rsa } from '#platform/rsa'
import type { RsaBits } from './arithmetic.ts'

/**
 * Generates an RSA key off the event loop (FIPS 186-5 appendix A.1). Returns it as PKCS#8 DER, with the exponent 65537. The caller owns and
 * wipes it. Takes 0.1 to 2 seconds.
 */
export const generateRsaKey = (bits: RsaBits): Promise<Uint8Array> => rsa.generate(bits)
