/**
 * Describes key files in error messages. Users must convert files in a wrong format, so a message names both the actual and the required
 * format.
 */
import { toHex } from '../../base/identifiers.ts'
import { DerReader, OBJECT_IDENTIFIER, SEQUENCE } from './der-reader.ts'

/** The names of key algorithms, by their DER-encoded object identifiers in hex. */
const ALGORITHMS: Readonly<Record<string, string>> = {
  '06092a864886f70d010101': 'an RSA key',
  '06092a864886f70d010107': 'an RSA key for RSAES-OAEP',
  '06092a864886f70d01010a': 'an RSA key for RSASSA-PSS',
  '06092a864886f70d010301': 'a Diffie-Hellman key',
  '06072a8648ce380401': 'a DSA key',
  '06072a8648ce3d0201': 'an elliptic-curve key',
  '06032b656e': 'an X25519 key',
  '06032b656f': 'an X448 key',
  '06032b6570': 'an Ed25519 key',
  '06032b6571': 'an Ed448 key',
}

const CURVES: Readonly<Record<string, string>> = {
  '06082a8648ce3d030107': 'P-256',
  '06052b81040022': 'P-384',
  '06052b81040023': 'P-521',
  '06052b81040021': 'P-224',
  '06052b8104000a': 'secp256k1',
}

/** The DER-encoded parts of an AlgorithmIdentifier (RFC 5280 section 4.1.1.2). `parameters` may be empty. */
interface AlgorithmIdentifier {
  readonly algorithm: Uint8Array
  readonly parameters: Uint8Array
}

/** Describes the algorithm of a key, for example `an elliptic-curve key of P-256`. */
export function describeAlgorithm({ algorithm, parameters }: AlgorithmIdentifier): string {
  const name = ALGORITHMS[toHex(algorithm)] ?? 'a key of another algorithm'
  if (!name.includes('curve')) return name
  if (parameters[0] === SEQUENCE) return `${name} with explicit parameters in place of a named curve`
  return `${name} of ${CURVES[toHex(parameters)] ?? (parameters[0] === OBJECT_IDENTIFIER ? 'another curve' : 'no named curve')}`
}

/** Text formats, recognized by the beginning of the file. */
const TEXTS: readonly (readonly [RegExp, string])[] = [
  [/^\s*-----BEGIN OPENSSH PRIVATE KEY/, 'an OpenSSH private key'],
  [/^openssh-key-v1/, 'an OpenSSH private key'],
  [/^(?:ssh-|ecdsa-sha2-|\0\0\0.ssh-|\0\0\0.ecdsa-)/s, 'an OpenSSH public key'],
  [/^\s*-----BEGIN /, 'PEM text'],
  [/^\s*\{/, 'JSON, such as a JWK'],
]

/** DER formats, recognized by the tags of the outer elements. */
const STRUCTURES: readonly (readonly [RegExp, string])[] = [
  [/^023004/, 'a private key in PKCS#8 form'],
  [/^3004$/, 'an encrypted private key'],
  [/^3003$/, 'a public key in SPKI form'],
  [/^303003$/, 'a certificate or a certificate request'],
  [/^0204/, 'an elliptic-curve key in SEC 1 form'],
  [/^(?:02){9}/, 'an RSA key in PKCS#1 form'],
  [/^0202$/, 'an RSA public key in PKCS#1 form'],
  [/^0230(?:30)?$/, 'a PKCS#12 file'],
]

/** The format of a file. Undefined if it is not recognized. */
export function describeForm(file: Uint8Array): string | undefined {
  const begin = String.fromCharCode(...file.subarray(0, 64))
  return formIn(TEXTS, begin) ?? formIn(STRUCTURES, tagsOf(file))
}

const formIn = (forms: readonly (readonly [RegExp, string])[], text: string): string | undefined =>
  forms.find(([pattern]) => pattern.test(text))?.[1]

const MAX_ELEMENTS = 10

/** The tags of the elements in the outer sequence, in hex. Empty if the file is not DER. */
function tagsOf(der: Uint8Array): string {
  try {
    const inner = new DerReader(der, '').next(SEQUENCE)
    const tags: number[] = []
    for (; !inner.atEnd && tags.length < MAX_ELEMENTS; inner.rest()) tags.push(inner.nextTag as number)
    return toHex(Uint8Array.from(tags))
  } catch {
    return ''
  }
}
