import type { Entropy } from '../../base/entropy.ts'
import { ecPkcs8, ecSpki } from '../asn1/ec-keys.ts'
import { ed25519Pkcs8, ed25519Spki } from '../asn1/ed25519-keys.ts'
import type { EcCurve } from '../asn1/object-ids.ts'
import type { CryptoBackend } from '../backend.ts'
import { CURVE_25519, NIST_CURVES } from '../curves/curve-code.ts'
import { generateRsaKey, type RsaBits, RsaPrivateKey } from '../rsa/index.ts'

export type KeyFamily = 'rsa' | 'ec' | 'ed25519'

interface KeyFamilyRule {
  /** The allowed key sizes in bits. Empty if the family has only one size; a given size is then ignored. */
  readonly bits: readonly number[]
  readonly defaultBits: number | undefined
}

export const KEY_FAMILIES: Readonly<Record<KeyFamily, KeyFamilyRule>> = {
  rsa: { bits: [2048, 3072, 4096], defaultBits: 2048 },
  ec: { bits: [224, 256, 384, 521], defaultBits: 256 },
  ed25519: { bits: [], defaultBits: undefined },
}

const CURVES: Readonly<Record<number, EcCurve>> = { 224: 'P-224', 256: 'P-256', 384: 'P-384', 521: 'P-521' }

const SEED_BYTES = 32

/** A new key pair in DER. The caller owns both arrays and must wipe `pkcs8`. */
export interface SubjectKey {
  readonly pkcs8: Uint8Array
  readonly spki: Uint8Array
}

/**
 * Generates the key of a certificate. RSA takes 0.1 to 2 seconds. @param bits One of the allowed sizes of the family. Ignored if the family
 * has only one size.
 */
export async function makeSubjectKey(
  crypto: CryptoBackend,
  entropy: Entropy,
  family: KeyFamily,
  bits: number | undefined,
): Promise<SubjectKey> {
  if (family === 'rsa') return makeRsaSubjectKey(crypto, bits as RsaBits)
  if (family === 'ec') {
    await NIST_CURVES.load()
    return ecKey(crypto, entropy, CURVES[bits ?? 0] as EcCurve)
  }
  await CURVE_25519.load()
  const seed = entropy.bytes(SEED_BYTES)
  const key = crypto.ed25519Sign(seed)
  const made = { pkcs8: ed25519Pkcs8(seed), spki: ed25519Spki(key.publicKey) }
  key.wipe()
  seed.fill(0)
  return made
}

export async function makeRsaSubjectKey({ rsa }: CryptoBackend, bits: RsaBits): Promise<SubjectKey> {
  const pkcs8 = await generateRsaKey(bits, rsa)
  const key = RsaPrivateKey.fromPkcs8(pkcs8, rsa)
  const spki = key.publicKey.spkiDer()
  key.wipe()
  return { pkcs8, spki }
}

function ecKey(crypto: CryptoBackend, entropy: Entropy, curve: EcCurve): SubjectKey {
  const random = (n: number): Uint8Array => entropy.bytes(n)
  // P-224 keys are generated with noble, because backends do not support P-224.
  const scalar = curve === 'P-224' ? NIST_CURVES.code.ecdsaGenerate(curve, random) : crypto.ecdsaGenerate(curve, random)
  const key = curve === 'P-224' ? NIST_CURVES.code.ecdsaSign(curve, scalar) : crypto.ecdsaSign(curve, scalar)
  const made = { pkcs8: ecPkcs8(curve, scalar, key.publicKey), spki: ecSpki(curve, key.publicKey) }
  key.wipe()
  scalar.fill(0)
  return made
}
