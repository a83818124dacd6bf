/**
 * Compiled sets of policies, each kept as long as somebody asks by it.
 */
import type { Authorizer } from '../rules/index.ts'

const MOST = 1000

export class AuthorizerCache {
  readonly #known = new Map<string, Authorizer>()

  /** @param policies What tells a policy and its version from all others; sorted. */
  get(policies: readonly string[]): Authorizer | undefined {
    return this.#known.get(policies.join(' '))
  }

  add(policies: readonly string[], authorizer: Authorizer): Authorizer {
    if (this.#known.size >= MOST) this.#known.clear()
    this.#known.set(policies.join(' '), authorizer)
    return authorizer
  }
}
