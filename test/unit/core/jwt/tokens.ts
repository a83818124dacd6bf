/**
 * Tokens and keys for tests, created with node:crypto.
 */
import { constants, createSign, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { KernelError } from '../../../../src/core/base/errors.ts'
import { loginRefusal } from '../../../../src/core/contract/login-refusal.ts'
import { certificate } from '../../../fixtures/certificates.ts'
import { RSA_PAIR } from '../../../fixtures/rsa-keys.ts'

export interface Pair {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

export const RSA: Pair = RSA_PAIR
const ec = (namedCurve: string): Pair => generateKeyPairSync('ec', { namedCurve })
export const P256 = ec('P-256')
export const P384 = ec('P-384')
export const P521 = ec('P-521')

/** Algorithm, digest and matching key (RFC 7518 section 3.1). */
export const NINE = [
  ['RS256', 'sha256', RSA],
  ['RS384', 'sha384', RSA],
  ['RS512', 'sha512', RSA],
  ['ES256', 'sha256', P256],
  ['ES384', 'sha384', P384],
  ['ES512', 'sha512', P521],
  ['PS256', 'sha256', RSA],
  ['PS384', 'sha384', RSA],
  ['PS512', 'sha512', RSA],
] as const
export type Nine = (typeof NINE)[number][0]

/** Encodes a string unchanged. */
export const encode = (part: unknown): string =>
  Buffer.from(part instanceof Uint8Array || typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')

const rowOf = (alg: string) => {
  const row = NINE.find(([name]) => name === alg)
  if (!row) throw new Error(`${alg} is none of the nine`)
  return row
}

/** Signs as JWS requires: r || s for ECDSA, and for PSS a salt as long as the digest. */
export function signature(alg: Nine, text: string, key: KeyObject = rowOf(alg)[2].privateKey): Uint8Array {
  const digest = rowOf(alg)[1]
  if (alg.startsWith('PS')) {
    const options = { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    return sign(digest, Buffer.from(text), options)
  }
  return sign(digest, Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
}

/** Creates a token that is signed with `alg`, even if the header names another algorithm. */
export function token(alg: Nine, payload: unknown = {}, header: unknown = { alg, typ: 'JWT' }, key?: KeyObject): string {
  const text = `${encode(header)}.${encode(payload)}`
  return `${text}.${encode(key ? signature(alg, text, key) : signature(alg, text))}`
}

export const spkiPem = ({ publicKey }: Pair): string => publicKey.export({ type: 'spki', format: 'pem' }).toString()
export const spkiDer = ({ publicKey }: Pair): Uint8Array => Uint8Array.from(publicKey.export({ type: 'spki', format: 'der' }))
export const certificatePem = (pair: Pair): string => certificate(spkiDer(pair))

/** ECDSA signatures in DER, which JWS does not allow. */
export const derSignature = (digest: string, text: string, key: KeyObject): Uint8Array =>
  createSign(digest).update(text).sign(key)

/** The message for typed calls. Calls by path return only "permission denied". */
const REFUSED = 'permission denied: the login was refused; the event login.refused and the audit log say why'

/** Returns the internal reason of a refusal, or undefined on success. The refusal must be a 403 that does not reveal the reason. */
export function reasonOf(work: () => unknown): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    const { status, message } = error as KernelError
    if (!(error instanceof KernelError) || status !== 403 || message !== REFUSED) throw error
    return loginRefusal(error)
  }
}
