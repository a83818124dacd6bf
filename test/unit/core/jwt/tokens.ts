/**
 * Tokens and keys for tests, made by node:crypto. Room: test/unit/core/jwt. Imported by tests.
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

/** RFC 7518 section 3.1: the digest of each algorithm, and a key that fits. */
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

/** A text is taken as it stands. */
export const encode = (part: unknown): string =>
  Buffer.from(part instanceof Uint8Array || typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')

const rowOf = (alg: string) => {
  const row = NINE.find(([name]) => name === alg)
  if (!row) throw new Error(`${alg} is none of the nine`)
  return row
}

/** What JWS wants of each algorithm: r || s for ECDSA, a salt as long as the digest for PSS. */
export function signature(alg: Nine, text: string, key: KeyObject = rowOf(alg)[2].privateKey): Uint8Array {
  const digest = rowOf(alg)[1]
  if (alg.startsWith('PS')) {
    const options = { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    return sign(digest, Buffer.from(text), options)
  }
  return sign(digest, Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
}

/** A header and a payload, signed as `alg` says, whatever the header says. */
export function token(alg: Nine, payload: unknown = {}, header: unknown = { alg, typ: 'JWT' }, key?: KeyObject): string {
  const text = `${encode(header)}.${encode(payload)}`
  return `${text}.${encode(key ? signature(alg, text, key) : signature(alg, text))}`
}

export const spkiPem = ({ publicKey }: Pair): string => publicKey.export({ type: 'spki', format: 'pem' }).toString()
export const spkiDer = ({ publicKey }: Pair): Uint8Array => Uint8Array.from(publicKey.export({ type: 'spki', format: 'der' }))
export const certificatePem = (pair: Pair): string => certificate(spkiDer(pair))

/** DER signatures, as everything but JWS has them. */
export const derSignature = (digest: string, text: string, key: KeyObject): Uint8Array =>
  createSign(digest).update(text).sign(key)

/** To the application; whoever asks by path reads the first two words. */
const REFUSED = 'permission denied: the login was refused; the event login.refused and the audit log say why'

/** The hidden reason of a refusal, which must be a 403 that says nothing. Undefined when there is none. */
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
