/** RSA keys of every size that OpenSSL created. */
import { RsaPrivateKey } from '../../../src/core/crypto/rsa/index.ts'
import { pkcs8Of, RSA_PAIR, RSA_PAIR_3072, RSA_PAIR_4096 } from '../../fixtures/rsa-keys.ts'

export const RSA_SIZES = [2048, 3072, 4096] as const
export type RsaSize = (typeof RSA_SIZES)[number]

const PAIRS = { 2048: RSA_PAIR, 3072: RSA_PAIR_3072, 4096: RSA_PAIR_4096 } as const

export const rsaKey = (bits: RsaSize): RsaPrivateKey => RsaPrivateKey.fromPkcs8(pkcs8Of(PAIRS[bits]))
