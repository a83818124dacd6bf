/** Parses an activation token on the secondary. The secondary cannot verify the signature of a signed token; only the primary can. */
import { decodeBase64Url, encodeBase64Url } from '../../../core/base/base64.ts'
import { fromUtf8 } from '../../../core/base/bytes.ts'
import { texts } from '../../../core/base/texts.ts'
import { invalidActivationToken } from '../serve/activate.ts'

/** The prefix of a token that consists of an activation bundle, encrypted to the secondary's public key. */
const SEALED = 'strongroom-replication.'

const MAX_TOKEN_CHARACTERS = 65_536

export type ActivationToken =
  | { readonly form: 'signed'; readonly text: string; readonly address: string; readonly key: Uint8Array }
  | { readonly form: 'sealed'; readonly bytes: Uint8Array }

export const formatSealedToken = (bytes: Uint8Array): string => SEALED + encodeBase64Url(bytes)

/** @throws KernelError 400 if the string cannot be an activation token. */
export function parseActivationToken(text: string): ActivationToken {
  if (text.length > MAX_TOKEN_CHARACTERS) throw invalidActivationToken()
  if (text.startsWith(SEALED)) return { form: 'sealed', bytes: bytesIn(text.slice(SEALED.length)) }
  const { addr, key } = claimsIn(text)
  if (typeof addr !== 'string' || typeof key !== 'string' || !/^[0-9a-f]{64}$/.test(key)) throw invalidActivationToken()
  return { form: 'signed', text, address: addr, key: texts.fromHex(key) }
}

function claimsIn(text: string): { readonly addr?: unknown; readonly key?: unknown } {
  try {
    const claims: unknown = JSON.parse(fromUtf8(bytesIn(text.split('.')[1] ?? '')))
    if (typeof claims === 'object' && claims !== null) return claims
  } catch {
    // A string without JSON claims is refused below, like all other invalid tokens.
  }
  throw invalidActivationToken()
}

function bytesIn(text: string): Uint8Array {
  try {
    return decodeBase64Url(text, 'token')
  } catch {
    throw invalidActivationToken()
  }
}
