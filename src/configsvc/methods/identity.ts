/** The identity of a caller whose token an auth method has verified. */
import type { Allowance } from '../../core/base/allowance.ts'
import type { Steps } from '../../core/base/steps.ts'
import type { CryptoBackend } from '../../core/crypto/backend.ts'
import type { TokenReviewer } from '../../core/jwt/token-reviewer.ts'
import type { PublishedKeySets } from './published-keys.ts'

/** A Kubernetes service account. All members exist. */
export interface AccountFields {
  readonly serviceaccount: { readonly namespace: string; readonly name: string; readonly uid: string }
}

/**
 * Mapped claims, under the names that they are mapped to; claims that the token lacks are absent. Names may equal those of inherited
 * properties.
 */
export interface ClaimFields {
  readonly value: Readonly<Record<string, string>>
  readonly list: Readonly<Record<string, readonly string[]>>
}

export interface LoginIdentity {
  /** The data of selectors. */
  readonly selectable: AccountFields | ClaimFields
  /** The variables of templates in binding rules. All of them exist; those of claims that the token lacks are empty. */
  readonly variables: Readonly<Record<string, string>>
}

/** Which fields a selector may name. */
export type Selectable =
  /** Exactly these paths; all are texts. */
  | { readonly fixed: readonly string[] }
  /** `value.<name>`, a text, and `list.<name>`, a list of texts. Any name is allowed; these are the mapped ones. */
  | { readonly value: readonly string[]; readonly list: readonly string[] }

/** The inputs of verifying a caller. `steps` and `once` are those of the transaction; their results are kept until the method changes. */
export interface LoginWork {
  /** Milliseconds. */
  readonly now: number
  readonly crypto: CryptoBackend
  readonly reviewer: TokenReviewer | undefined
  readonly keySets: PublishedKeySets
  /** Aborted when the service closes. */
  readonly signal: AbortSignal
  /** For callers that turn out not to be authenticated, in the units of `WRONG_SIGNATURES`. */
  readonly allowance: Allowance
  steps<T>(name: string, make: () => Steps<T>): T
  once<T>(name: string, make: () => Promise<T>): T
}
