/**
 * Compiled sets of policies, each kept as long as somebody asks by it, and what the last use of a token has found.
 */
import type { Authorizer } from '../rules/index.ts'
import type { PolicyRecord, RoleRecord, TokenRecord } from './records.ts'

/** What a decision about a token rests on. As long as the same records are found, it stays. */
export interface Grounds {
  readonly roles: readonly RoleRecord[]
  /** The IDs of all policies that the token or a role links to, each once. */
  readonly links: readonly string[]
  readonly policies: readonly PolicyRecord[]
  readonly authorizer: Authorizer
}

const MOST = 1000

export class AuthorizerCache {
  readonly #known = new Map<string, Authorizer>()
  readonly #grounds = new WeakMap<TokenRecord, Grounds>()

  /** @param key What tells a set of policies, identities and templates from all others. */
  get(key: string): Authorizer | undefined {
    return this.#known.get(key)
  }

  add(key: string, authorizer: Authorizer): Authorizer {
    if (this.#known.size >= MOST) this.#known.clear()
    this.#known.set(key, authorizer)
    return authorizer
  }

  groundsOf(token: TokenRecord): Grounds | undefined {
    return this.#grounds.get(token)
  }

  keepGrounds(token: TokenRecord, grounds: Grounds): void {
    this.#grounds.set(token, grounds)
  }
}
