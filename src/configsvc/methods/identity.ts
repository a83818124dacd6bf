/** What an auth method knows of a caller whose token it has verified. */
import type { Allowance } from '../../core/base/allowance.ts'
import type { Steps } from '../../core/base/steps.ts'
import type { CryptoBackend } from '../../core/crypto/backend.ts'
import type { TokenReviewer } from '../../core/jwt/token-reviewer.ts'
import type { PublishedKeySets } from './published-keys.ts'

/** A service account: members that always exist. */
export interface AccountFields {
  readonly serviceaccount: { readonly namespace: string; readonly name: string; readonly uid: string }
}

/**
 * Mapped claims by the names that they are mapped to; claims that the token lacks are absent. Names may be those of inherited
 * properties.
 */
export interface ClaimFields {
  readonly value: Readonly<Record<string, string>>
  readonly list: Readonly<Record<string, readonly string[]>>
}

export interface LoginIdentity {
  /** What selectors are evaluated against. */
  readonly selectable: AccountFields | ClaimFields
  /** What names and variables of binding rules interpolate, complete. Claims that the token lacks are empty. */
  readonly variables: Readonly<Record<string, string>>
}

/** Which fields a selector may name. */
export type Selectable =
  /** These paths, all texts. */
  | { readonly fixed: readonly string[] }
  /** `value.<name>`, a text, and `list.<name>`, a list of texts. Any name is allowed; these are the mapped ones. */
  | { readonly value: readonly string[]; readonly list: readonly string[] }

/** What verifying a caller takes. `steps` and `once` are those of a transaction: the work is done once for a method as it is. */
export interface LoginWork {
  /** Milliseconds. */
  readonly now: number
  readonly crypto: CryptoBackend
  readonly reviewer: TokenReviewer | undefined
  readonly keySets: PublishedKeySets
  /** Aborted when the service closes. */
  readonly signal: AbortSignal
  /** For callers who turn out to be nobody, in the units of `WRONG_SIGNATURES`. */
  readonly allowance: Allowance
  steps<T>(name: string, make: () => Steps<T>): T
  once<T>(name: string, make: () => Promise<T>): T
}
