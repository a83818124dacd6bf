/**
 * Compiled sets of policies, each kept as long as somebody asks by it, and what the last use of a token has found.
 */
import type { Authorizer } from '../rules/index.ts'
import type { AclPolicyRecord, AclRoleRecord, AclTokenRecord } from './records.ts'

/** What a decision about a token rests on. As long as the same records are found, it stays. */
export interface AuthorizerInputs {
  readonly roles: readonly AclRoleRecord[]
  /** The IDs of all policies that the token or a role links to, each once. */
  readonly links: readonly string[]
  readonly policies: readonly AclPolicyRecord[]
  readonly authorizer: Authorizer
}

const MAX_AUTHORIZERS = 1000

export class AuthorizerCache {
  readonly #authorizers = new Map<string, Authorizer>()
  readonly #inputs = new WeakMap<AclTokenRecord, AuthorizerInputs>()

  /** @param key What tells a set of policies, identities and templates from all others. */
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
