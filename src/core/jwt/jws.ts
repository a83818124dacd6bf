/** Parses JSON Web Signatures in compact form (RFC 7515 sections 3.1 and 4.1). */
import { toUtf8 } from '../base/bytes.ts'
import { texts } from '../base/texts.ts'
import { refuseLogin } from '../contract/login-refusal.ts'
import { memberOf } from '../json/wide-object.ts'
import { ALGORITHMS, type JwsAlgorithm } from './algorithms.ts'
import { readObject } from './read-object.ts'

/**
 * The maximum length of a token. Service account tokens have 1 to 4 KiB, and proxies do not accept headers that are longer than this limit.
 * The time to parse a token is linear in its length, so the limit also bounds the work that an unauthenticated client can cause.
 */
const MAX_TOKEN_CHARACTERS = 16_384

export interface Jws {
  /** The token in canonical form, without white space and padding. */
  readonly text: string
  readonly algorithm: JwsAlgorithm
  /** The `kid` in the header. It determines only which key is tried first. */
  readonly keyId: unknown
  readonly payload: Uint8Array
  /** The bytes that the signature covers. */
  readonly signed: Uint8Array
  /** The signature. It is not empty. */
  readonly signature: Uint8Array
}

const malformed = () => refuseLogin('token-malformed')

/** Parses a token. Does not verify the signature. @throws KernelError 403 if the text is malformed or the algorithm is not supported */
export function parseJws(given: string): Jws {
  if (given.length > MAX_TOKEN_CHARACTERS) throw refuseLogin('token-too-large')
  // Tools may write a newline at the end of a token file, padding, and wrapped lines. Accept all of them.
  const text = given.replace(/[\t\n\v\f\r ]+/g, '').replace(/={1,2}$/, '')
  const parts = text.split('.', 4)
  if (parts.length !== 3) throw malformed()
  const [header, payload, signature] = parts as [string, string, string]
  const { algorithm, keyId } = headerOf(decode(header))
  const bytes = decode(signature)
  if (bytes.length === 0) throw malformed()
  return {
    text,
    algorithm,
    keyId,
    payload: decode(payload),
    // The signed part contains only ASCII characters.
    signed: toUtf8(text.slice(0, -signature.length - 1)),
    signature: bytes,
  }
}

/**
 * Returns the algorithm and the key id. Refuses the parameters `crit` and `b64`, because they change how a token must be interpreted.
 * Ignores the locations of keys (`jku`, `jwk`) and the type of the token.
 */
function headerOf(header: Uint8Array): Pick<Jws, 'algorithm' | 'keyId'> {
  const members = readObject(header, 'token-malformed')
  if (!members || Object.hasOwn(members, 'crit') || Object.hasOwn(members, 'b64')) throw malformed()
  const algorithm = ALGORITHMS.get(memberOf(members, 'alg'))
  if (!algorithm) throw refuseLogin('algorithm-not-allowed')
  return { algorithm, keyId: memberOf(members, 'kid') }
}

/**
 * Decodes base64url. Refuses every encoding except the canonical one: the platform's decoder skips unknown characters and ignores unused
 * bits, so the decoded bytes are encoded again and compared with the given string.
 */
function decode(part: string): Uint8Array {
  const bytes = texts.fromBase64(part)
  if (texts.base64url(bytes) !== part) throw malformed()
  return bytes
}
