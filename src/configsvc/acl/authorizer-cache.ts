/**
 * Caches authorizers by the policies that they were compiled from. Also caches, for each token, the records that were found when the token
 * was last used.
 */
import type { Authorizer } from '../rules/index.ts'
import type { AclPolicyRecord, AclRoleRecord, AclTokenRecord } from './records.ts'

/** The records that an authorizer was compiled from. The authorizer is reused as long as the token leads to the same records. */
export interface AuthorizerInputs {
  readonly roles: readonly AclRoleRecord[]
  /** The IDs of all policies that the token or one of its roles links to, each once. */
  readonly links: readonly string[]
  readonly policies: readonly AclPolicyRecord[]
  readonly authorizer: Authorizer
}

const MAX_AUTHORIZERS = 1000

export class AuthorizerCache {
  readonly #authorizers = new Map<string, Authorizer>()
  readonly #inputs = new WeakMap<AclTokenRecord, AuthorizerInputs>()

  /** @param key Identifies the policies, identities and templates that were compiled. */
  get(key: string): Authorizer | undefined {
    return this.#authorizers.get(key)
  }

  add(key: string, authorizer: Authorizer): Authorizer {
    if (this.#authorizers.size >= MAX_AUTHORIZERS) this.#authorizers.clear()
    this.#authorizers.set(key, authorizer)
    return authorizer
  }

  inputsOf(token: AclTokenRecord): AuthorizerInputs | undefined {
    return this.#inputs.get(token)
  }

  setInputs(token: AclTokenRecord, grounds: AuthorizerInputs): void {
    this.#inputs.set(token, grounds)
  }
}
