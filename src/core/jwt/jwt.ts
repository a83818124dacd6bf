/** Parses JSON Web Tokens (RFC 7519). Does not verify them. */

import { type Jws, parseJws } from './jws.ts'
import { readObject } from './read-object.ts'

export type Claims = Readonly<Record<string, unknown>>

export interface Jwt extends Jws {
  /** The claims as they were sent. Integers above 2^53 are bigints. */
  readonly claims: Claims
}

const NO_CLAIMS: Claims = /* @__PURE__ */ Object.freeze({})

/**
 * Parses a token. As in Vault, the payload `null` is accepted and means a token without claims.
 * @throws KernelError 403 with the reason `token-too-large`, `token-malformed`, `algorithm-not-allowed` or `claims-malformed`
 */
export function parseJwt(text: string): Jwt {
  const jws = parseJws(text)
  return { ...jws, claims: readObject(jws.payload, 'claims-malformed') ?? NO_CLAIMS }
}
