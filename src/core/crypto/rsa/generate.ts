import { rsa as platformRsa } from '#platform/rsa'
import type { RsaArithmetic, RsaBits } from './arithmetic.ts'

/**
 * Generates an RSA key without blocking the event loop (FIPS 186-5 appendix A.1). Returns it as PKCS#8 DER, with the exponent 65537. The
 * caller owns and wipes it. Takes 0.1 to 2 seconds, and longer without RSA of the platform.
 * @param rsa Default: that of the platform.
 */
export const generateRsaKey = (bits: RsaBits, rsa: RsaArithmetic = platformRsa): Promise<Uint8Array> => rsa.generate(bits)
