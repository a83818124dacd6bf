/**
 * Why a login can be refused.
 */
import type { ReviewFailure } from './token-reviewer.ts'

export type LoginRefusalReason =
  /** The role is bound to networks, and the caller's address is unknown or in none of them. */
  | 'address-not-bound'
  | 'token-too-large'
  | 'token-malformed'
  | 'algorithm-not-allowed'
  /** There is neither a key to check signatures with nor anybody to ask. */
  | 'nothing-to-verify-with'
  | 'signature-invalid'
  /** Too many signatures were wrong lately, so this one was not looked at: the one reason with a status of its own, 429. */
  | 'too-many-failures'
  | 'claims-malformed'
  | 'issuer-mismatch'
  | 'audience-mismatch'
  | 'not-yet-valid'
  | 'issued-in-future'
  | 'expired'
  | 'name-not-bound'
  | 'namespace-not-bound'
  | 'uid-missing'
  /** The certificate that the API server is to be known by could not be read. */
  | 'local-ca-unreadable'
  | ReviewFailure
  /** The server knows of an error of the token. */
  | 'review-error'
  | 'review-not-authenticated'
  | 'review-audience-mismatch'
  /** The token is somebody's, but no service account's. */
  | 'review-no-service-account'
  /** The token is another service account's than it says. */
  | 'review-mismatch'
  /** The entity behind the alias is disabled. */
  | 'entity-disabled'
