/**
 * Signed texts in the compact form, taken apart. Source: RFC 7515 sections 3.1 and 4.1.
 */
import { refuseLogin } from '../../../core/contract/login-refusal.ts'
import { memberOf } from '../../../core/json/wide-object.ts'
import { ALGORITHMS, type Algorithm } from './algorithms.ts'
import { readObject } from './json.ts'

/**
 * Tokens of service accounts have 1 to 4 KiB, and proxies take no header that is longer than this. Everything below is linear, so
 * this also bounds what a stranger can make us do.
 */
const LONGEST = 16_384

export interface Jws {
  /** Without white space and padding: the one spelling of the token. */
  readonly text: string
  readonly algorithm: Algorithm
  /** What the header calls the key: a hint at which is to be tried first, and nothing else. */
  readonly keyId: unknown
  readonly payload: Uint8Array
  /** The bytes that are signed. */
  readonly signed: Uint8Array
  /** Not empty. */
  readonly signature: Uint8Array
}

const malformed = () => refuseLogin('token-malformed')

/** @throws KernelError 403 for anything else, and for algorithms that are none of ours. Nothing is verified. */
export function parseJws(given: string): Jws {
  if (given.length > LONGEST) throw refuseLogin('token-too-large')
  // A token that was read from a file ends with a newline; some tools pad, and some wrap lines.
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
    // Letters, digits, `-`, `_` and a dot by now.
    signed: Buffer.from(text.slice(0, -signature.length - 1), 'latin1'),
    signature: bytes,
  }
}

/**
 * What says how the token is to be read beyond `alg` (`crit`, and `b64`, which only counts beside it) is refused; where keys are to be
 * had (`jku`, `jwk`) and types are not looked at.
 */
function headerOf(header: Uint8Array): Pick<Jws, 'algorithm' | 'keyId'> {
  const members = readObject(header, 'token-malformed')
  if (!members || Object.hasOwn(members, 'crit') || Object.hasOwn(members, 'b64')) throw malformed()
  const algorithm = ALGORITHMS.get(memberOf(members, 'alg'))
  if (!algorithm) throw refuseLogin('algorithm-not-allowed')
  return { algorithm, keyId: memberOf(members, 'kid') }
}

/**
 * Only the one spelling of some bytes: native decoding skips what it does not know and does not look at bits left over, so the way
 * back tells.
 */
function decode(part: string): Uint8Array {
  const bytes = Buffer.from(part, 'base64url')
  if (bytes.toString('base64url') !== part) throw malformed()
  return bytes
}
