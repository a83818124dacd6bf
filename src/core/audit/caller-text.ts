/**
 * The members of an audit entry that describe a caller with a token, as JSON text in Vault's format. The text is hashed and serialized once
 * per cached caller.
 */
import { rfc3339 } from '../base/clock.ts'
import type { AuditAuth } from '../contract/audit-entry.ts'
import type { TokenCaller } from '../contract/caller.ts'
import type { NamespaceRecord } from '../contract/namespace.ts'
import type { PolicyResults } from './audit-basis.ts'

export class CallerText {
  /** Members of `request`, each with a comma before it. */
  readonly request: string
  /** The JSON text of `auth`: the parts before and after the value of `policy_results`. */
  readonly #front: string
  readonly #behind: string
  readonly #namespace: NamespaceRecord
  readonly #refused: string
  /** The text of `auth` for an allowed request. Keyed by the list of policy names, because a rule always returns the same list object. */
  readonly #allowed = new WeakMap<readonly string[], string>()

  /**
   * @param token The hashed token, empty if there is none.
   * @param accessor The accessor, hashed unless the device logs accessors unhashed.
   */
  constructor(caller: TokenCaller, token: string, accessor: string) {
    const front = JSON.stringify({
      ...(token === '' ? {} : { client_token: token }),
      ...(accessor === '' ? {} : { accessor }),
      ...auditAuthOf(caller),
    } satisfies AuditAuth)
    const behind = JSON.stringify({
      ...nonEmpty('metadata', caller.token.meta),
      ...positive('remaining_uses', caller.token.num_uses),
      ...issue(caller),
    } satisfies AuditAuth)
    const shown = accessor === '' ? '' : `,"client_token_accessor":${JSON.stringify(accessor)}`
    this.request = (token === '' ? '' : `,"client_token":${JSON.stringify(token)}`) + shown
    this.#front = `${front.slice(0, -1)},"policy_results":`
    this.#behind = `,${behind.slice(1)}`
    this.#namespace = caller.namespace
    this.#refused = this.#auth({ allowed: false })
  }

  /** The member `auth` of an entry for this caller. */
  auth(results: PolicyResults | undefined): string {
    if (!results?.allowed) return this.#refused
    const { granting } = results
    const known = this.#allowed.get(granting)
    if (known !== undefined) return known
    const { id, path } = this.#namespace
    const where = { namespace_id: id === '' ? 'root' : id, ...(path === '' ? {} : { namespace_path: path }) }
    const text = this.#auth({ allowed: true, granting_policies: granting.map((name) => ({ name, ...where, type: 'acl' })) })
    this.#allowed.set(granting, text)
    return text
  }

  #auth(results: NonNullable<AuditAuth['policy_results']>): string {
    return this.#front + JSON.stringify(results) + this.#behind
  }
}

/** The description of the caller. Names of policies are written unhashed. */
export const auditAuthOf = ({ token, identityPolicies }: TokenCaller): AuditAuth => ({
  ...(token.display_name === '' ? {} : { display_name: token.display_name }),
  policies: identityPolicies.length === 0 ? token.policies : [...new Set([...token.policies, ...identityPolicies])].sort(),
  token_policies: token.policies,
  ...(identityPolicies.length === 0 ? {} : { identity_policies: identityPolicies }),
})

const issue = ({ token }: TokenCaller): AuditAuth => ({
  ...(token.entity === '' ? {} : { entity_id: token.entity }),
  token_type: token.type,
  ...positive('token_ttl', token.creation_ttl),
  // Vault truncates the time to whole seconds.
  token_issue_time: rfc3339(token.created - (token.created % 1000)).replace('.000', ''),
})

const positive = <N extends string>(name: N, value: number): { readonly [K in N]?: number } =>
  (value > 0 ? { [name]: value } : {}) as { readonly [K in N]?: number }

const nonEmpty = <N extends string, T extends object>(name: N, value: T | null): { readonly [K in N]?: T } =>
  (value && Object.keys(value).length > 0 ? { [name]: value } : {}) as { readonly [K in N]?: T }
