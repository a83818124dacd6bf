/** Parses signed texts in the compact form. Source: RFC 7515 sections 3.1 and 4.1. */
import { toUtf8 } from '../base/bytes.ts'
import { texts } from '../base/texts.ts'
import { refuseLogin } from '../contract/login-refusal.ts'
import { memberOf } from '../json/wide-object.ts'
import { ALGORITHMS, type JwsAlgorithm } from './algorithms.ts'
import { readObject } from './read-object.ts'

/**
 * The longest token. Service account tokens have 1 to 4 KiB, and proxies accept no longer header than this. All work below is
 * linear, so this also bounds the work that a stranger can cause.
 */
const MAX_TOKEN_CHARACTERS = 16_384

export interface Jws {
  /** The canonical spelling of the token, without white space and padding. */
  readonly text: string
  readonly algorithm: JwsAlgorithm
  /** The header's key id: only a hint at the key to try first. */
  readonly keyId: unknown
  readonly payload: Uint8Array
  /** The bytes that are signed. */
  readonly signed: Uint8Array
  /** Not empty. */
  readonly signature: Uint8Array
}

const malformed = () => refuseLogin('token-malformed')

/** Verifies nothing. @throws KernelError 403 for malformed text, and for unsupported algorithms */
export function parseJws(given: string): Jws {
  if (given.length > MAX_TOKEN_CHARACTERS) throw refuseLogin('token-too-large')
  // A token read from a file ends with a newline; some tools add padding, and some wrap lines.
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
    // By this point all characters are letters, digits, `-`, `_` and a dot.
    signed: toUtf8(text.slice(0, -signature.length - 1)),
    signature: bytes,
  }
}

/**
 * Header members that change how the token is read beyond `alg` (`crit`, and `b64`, which only counts beside it) are refused; key
 * locations (`jku`, `jwk`) and types are ignored.
 */
function headerOf(header: Uint8Array): Pick<Jws, 'algorithm' | 'keyId'> {
  const members = readObject(header, 'token-malformed')
  if (!members || Object.hasOwn(members, 'crit') || Object.hasOwn(members, 'b64')) throw malformed()
  const algorithm = ALGORITHMS.get(memberOf(members, 'alg'))
  if (!algorithm) throw refuseLogin('algorithm-not-allowed')
  return { algorithm, keyId: memberOf(members, 'kid') }
}

/**
 * Accepts only the canonical spelling. Native decoding skips unknown characters and ignores leftover bits, so the result is
 * encoded again and compared.
 */
function decode(part: string): Uint8Array {
  const bytes = texts.fromBase64(part)
  if (texts.base64url(bytes) !== part) throw malformed()
  return bytes
}
