/** Parameters of sign and verify, their rules, and the encoding of signatures. */
import { decodeBase64, decodeBase64Url, encodeBase64, encodeBase64Url } from '../../core/base/base64.ts'
import { invalid } from '../../core/base/errors.ts'
import type { HashName } from '../../core/crypto/backend.ts'
import { f } from '../../core/field/fields.ts'
import { signatureHash } from './hashes.ts'
import type { Signer, SigningRules, SignJob } from './key-types/key-type.ts'
import type { RingKeys } from './ring-keys.ts'

export const SIGNING_FIELDS = {
  name: f.name('The name of the key.'),
  hash_algorithm: f
    .word<HashName | 'none'>(
      'The hash function: sha1, sha2-224 to sha2-512, sha3-224 to sha3-512, or none. Default: sha2-256. Ignored for ed25519.',
    )
    .optional(),
  algorithm: f.word<HashName | 'none'>('The former name of hash_algorithm; it has no effect on signatures.').optional(),
  prehashed: f.bool('Whether the input is already a digest.').default(false),
  signature_algorithm: f.word<'pss' | 'pkcs1v15'>('The padding of RSA signatures: pss (default) or pkcs1v15.').default(''),
  marshaling_algorithm: f
    .word<'asn1' | 'jws'>(
      'asn1 (default): base64; ECDSA signatures are DER. jws: URL-safe base64; ECDSA signatures are r and s concatenated.',
    )
    .default('asn1'),
  salt_length: f
    .wordOrInt<'auto' | 'hash'>('The length of a PSS salt: auto (default), hash, or a number of bytes.')
    .default('auto'),
}

interface SigningInput {
  readonly hash_algorithm: string | undefined
  readonly prehashed: boolean
  readonly signature_algorithm: string
  readonly marshaling_algorithm: string
  readonly salt_length: string
}

/** Validates the parameters before the key is looked up. @throws KernelError 400 */
export function signingRules(input: SigningInput): SigningRules {
  const hash: HashName | 'none' = signatureHash(input.hash_algorithm)
  const { marshaling_algorithm: marshaling, signature_algorithm: algorithm, prehashed } = input
  if (marshaling !== 'asn1' && marshaling !== 'jws') throw invalid('marshaling_algorithm: must be asn1 or jws')
  return { hash, prehashed, algorithm, marshaling, salt: saltLength(input.salt_length) }
}

/**
 * Refuses `hash_algorithm: none` unless the input is prehashed and the signature algorithm is pkcs1v15. The check applies to every key type,
 * as in Vault, even to types that ignore the hash.
 * @throws KernelError 400
 */
export function checkNone({ hash, prehashed, algorithm }: SigningRules): void {
  if (hash === 'none' && !(prehashed && algorithm === 'pkcs1v15')) {
    throw invalid('hash_algorithm: none requires prehashed and signature_algorithm pkcs1v15')
  }
}

function saltLength(text: string): SignJob['salt'] {
  if (text === 'auto' || text === 'hash') return text
  const word = text.toLowerCase()
  if (word === 'auto' || word === 'hash') return word
  if (!/^[+-]?\d{1,9}$/.test(text) || Number(text) < -1)
    throw invalid('salt_length: must be auto, hash, or a whole number of at least -1')
  return Number(text)
}

/** @param what The operation, for the error message. @throws KernelError 400 if keys of this type do not support signing */
export function signerOf(keys: RingKeys, what: string): Signer {
  const { signer } = keys.type
  if (!signer) throw invalid(`name: keys of type ${keys.ring.type} do not support ${what}`)
  return signer
}

export const encodeSignature = (rules: SigningRules, bytes: Uint8Array): string =>
  rules.marshaling === 'jws' ? encodeBase64Url(bytes) : encodeBase64(bytes)

/** @throws KernelError 400 for invalid base64, and for base64 in the alphabet that the other `marshaling_algorithm` uses */
export const decodeSignature = (rules: SigningRules, text: string): Uint8Array =>
  rules.marshaling === 'jws' ? decodeBase64Url(text, 'signature') : decodeBase64(text, 'signature')
