/** The identity of a caller whose token an auth method has verified. */
import type { Allowance } from '../../core/base/allowance.ts'
import type { Steps } from '../../core/base/steps.ts'
import type { CryptoBackend } from '../../core/crypto/backend.ts'
import type { TokenReviewer } from '../../core/jwt/token-reviewer.ts'
import type { PublishedKeySets } from './published-keys.ts'

/** A Kubernetes service account. A hypothetical account may have empty values, but unlike with claims no member is absent. */
export interface AccountFields {
  readonly serviceaccount: { readonly namespace: string; readonly name: string; readonly uid: string }
}

/**
 * Mapped claims, under the names to which they are mapped. Claims that the token does not contain are absent. A name can equal that of an
 * inherited property such as `constructor`, so read own properties only.
 */
export interface ClaimFields {
  readonly value: Readonly<Record<string, string>>
  readonly list: Readonly<Record<string, readonly string[]>>
}

export interface LoginIdentity {
  /** The data to which selectors apply. */
  readonly selectable: AccountFields | ClaimFields
  /** The variables for templates in binding rules. All variables exist; those for claims that the token does not contain are empty. */
  readonly variables: Readonly<Record<string, string>>
}

/** The fields that a selector may name. */
export type Selectable =
  /** Only these paths, such as `serviceaccount.name`. All values are strings. */
  | { readonly fixed: readonly string[] }
  /**
   * `value.<name>`, a string, and `list.<name>`, a list of strings. A selector may use any name; the two members list the names to which the
   * auth method maps claims.
   */
  | { readonly value: readonly string[]; readonly list: readonly string[] }

/**
 * The parameters for verifying a caller. `steps` and `once` are the methods of the transaction with these names: if the transaction runs
 * again, their results are reused unless the auth method has changed.
 */
export interface LoginWork {
  /** The current time in milliseconds since the epoch. */
  readonly now: number
  readonly crypto: CryptoBackend
  readonly reviewer: TokenReviewer | undefined
  readonly keySets: PublishedKeySets
  /** Aborted when the service is closed. */
  readonly signal: AbortSignal
  /** Limits the work for callers that turn out to be unauthenticated. The unit is a millisecond of processor time, as in `WRONG_SIGNATURES`. */
  readonly allowance: Allowance
  steps<T>(name: string, make: () => Steps<T>): T
  once<T>(name: string, make: () => Promise<T>): T
}
