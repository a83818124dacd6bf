/**
 * RSA keys for the tests of this folder, made once per run of a file: generation takes up to seconds. Room: test/interop/openssl.
 */
import { generateRsaKey, RsaPrivateKey } from '../../../src/core/crypto/rsa/index.ts'

export const RSA_SIZES = [2048, 3072, 4096] as const
export type RsaSize = (typeof RSA_SIZES)[number]

const made = new Map<RsaSize, Promise<RsaPrivateKey>>()

export function rsaKey(bits: RsaSize): Promise<RsaPrivateKey> {
  const key = made.get(bits) ?? generateRsaKey(bits).then((der) => RsaPrivateKey.fromPkcs8(der))
  made.set(bits, key)
  return key
}
