/** Parses JSON Web Tokens (RFC 7519) without verifying them. */

import { type Jws, parseJws } from './jws.ts'
import { readObject } from './read-object.ts'

export type Claims = Readonly<Record<string, unknown>>

export interface Jwt extends Jws {
  /** As they were sent. Integers beyond 2^53 are bigints. */
  readonly claims: Claims
}

const NO_CLAIMS: Claims = /* @__PURE__ */ Object.freeze({})

/**
 * The payload `null` counts as a token without claims, as in Vault.
 * @throws KernelError 403 with the reason `token-too-large`, `token-malformed`, `algorithm-not-allowed` or `claims-malformed`
 */
export function parseJwt(text: string): Jwt {
  const jws = parseJws(text)
  return { ...jws, claims: readObject(jws.payload, 'claims-malformed') ?? NO_CLAIMS }
}
