/** The signature algorithms of tokens (RFC 7518 sections 3.3 to 3.5). */
import type { CurveName, HashName } from '../crypto/backend.ts'

/** A signature algorithm. It allows only one kind of key, so a token cannot choose to be verified with a key of another kind. */
export type JwsAlgorithm =
  | { readonly name: string; readonly hash: HashName; readonly family: 'ecdsa'; readonly curve: CurveName }
  | { readonly name: string; readonly hash: HashName; readonly family: 'rsa'; readonly padding: 'pkcs1' | 'pss' }

const ROWS: readonly JwsAlgorithm[] = [
  { name: 'RS256', hash: 'sha2-256', family: 'rsa', padding: 'pkcs1' },
  { name: 'RS384', hash: 'sha2-384', family: 'rsa', padding: 'pkcs1' },
  { name: 'RS512', hash: 'sha2-512', family: 'rsa', padding: 'pkcs1' },
  { name: 'ES256', hash: 'sha2-256', family: 'ecdsa', curve: 'P-256' },
  { name: 'ES384', hash: 'sha2-384', family: 'ecdsa', curve: 'P-384' },
  { name: 'ES512', hash: 'sha2-512', family: 'ecdsa', curve: 'P-521' },
  { name: 'PS256', hash: 'sha2-256', family: 'rsa', padding: 'pss' },
  { name: 'PS384', hash: 'sha2-384', family: 'rsa', padding: 'pss' },
  { name: 'PS512', hash: 'sha2-512', family: 'rsa', padding: 'pss' },
]

/** The algorithms, keyed by the value of `alg` in a token's header. A `Map` is used so that no name finds an inherited property. */
export const ALGORITHMS: ReadonlyMap<unknown, JwsAlgorithm> = /* @__PURE__ */ new Map(ROWS.map((row) => [row.name, row]))
