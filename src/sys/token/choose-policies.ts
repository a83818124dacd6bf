/** Determines the policies of a new token, as in Vault. */

import { DEFAULT_POLICY, ROOT_POLICY, WRAPPING_POLICY } from '../../core/access/policies.ts'
import { normalizePolicies } from '../../core/access/token/token.ts'
import { invalid } from '../../core/base/errors.ts'
import { fitsAny } from '../../core/base/glob.ts'
import type { TokenRole } from './token-role.ts'

export interface Choice {
  /** The policy names as the request contains them. */
  readonly asked: readonly string[]
  /** Whether the request excludes the policy `default`. */
  readonly noDefault: boolean
  /**
   * The policies of the creating token, which it can pass on to the new token. Undefined if the application creates the token, or if the
   * creating token belongs to another namespace, where its policies do not exist.
   */
  readonly parent: readonly string[] | undefined
  readonly sudo: boolean
  readonly role: TokenRole | undefined
}

/**
 * Returns the policy names of the new token: trimmed, in lower case, sorted, without duplicates.
 * @throws KernelError 400 for a policy that the creator must not pass on, or that the role does not allow.
 */
export function choosePolicies(choice: Choice): readonly string[] {
  const { role, noDefault } = choice
  const chosen = role && hasRules(role) ? byRole(choice, role) : byMaker(choice)
  if (chosen.includes(WRAPPING_POLICY)) throw invalid(`policies: cannot assign policy "${WRAPPING_POLICY}"`)
  return noDefault ? chosen.filter((name) => name !== DEFAULT_POLICY) : chosen
}

function byMaker({ asked, noDefault, parent, sudo, role }: Choice): readonly string[] {
  if (asked.length === 0 && parent) return normalizePolicies(parent)
  if (!sudo) checkSubset(asked, parent)
  const adds = !noDefault && !role?.token_no_default_policy && (sudo || parent?.includes(DEFAULT_POLICY) === true)
  return withDefault(asked, adds)
}

function byRole({ asked, noDefault, parent, sudo }: Choice, role: TokenRole): readonly string[] {
  const allows = role.allowed_policies.length + role.allowed_policies_glob.length > 0
  const adds = !noDefault && !role.token_no_default_policy && !isBanned(DEFAULT_POLICY, role)
  const chosen = withDefault(asked.length > 0 ? asked : allows ? role.allowed_policies : (parent ?? []), adds)
  if (asked.length > 0 && allows) {
    const allowed = withDefault(role.allowed_policies, adds)
    if (!chosen.every((name) => allowed.includes(name) || fitsAny(name, role.allowed_policies_glob)))
      throw invalid('policies: must be allowed by the role, in `allowed_policies` or `allowed_policies_glob`')
  }
  if (asked.length > 0 && !allows && !sudo) checkSubset(asked, parent)
  const banned = chosen.find((name) => isBanned(name, role))
  if (banned !== undefined) throw invalid(`policies: token policy "${banned}" is disallowed by this role`)
  return chosen
}

/** @throws KernelError 400 if the request names a policy that the creating token does not have. */
function checkSubset(asked: readonly string[], parent: readonly string[] = []): void {
  if (!normalizePolicies(asked).every((name) => parent.includes(name)))
    throw invalid('policies: child policies must be subset of parent')
}

const hasRules = (role: TokenRole): boolean =>
  [role.allowed_policies, role.allowed_policies_glob, role.disallowed_policies, role.disallowed_policies_glob].some(
    (list) => list.length > 0,
  )

const isBanned = (name: string, role: TokenRole): boolean =>
  role.disallowed_policies.includes(name) || fitsAny(name, role.disallowed_policies_glob)

const withDefault = (names: readonly string[], adds: boolean): readonly string[] =>
  normalizePolicies(adds ? [...names, DEFAULT_POLICY] : names)

/** @throws KernelError 400 if the policies include `root` and the maker, the namespace or the token type does not allow a root token. */
export function checkRoot(
  policies: readonly string[],
  { maker, child, batch }: { readonly maker: readonly string[] | undefined; readonly child: boolean; readonly batch: boolean },
): void {
  if (!policies.includes(ROOT_POLICY)) return
  if (maker && !maker.includes(ROOT_POLICY))
    throw invalid('policies: root tokens may not be created without parent token being root')
  if (child) throw invalid('policies: root tokens may not be created from a parent namespace')
  if (batch) throw invalid('type: batch tokens cannot be root tokens')
}
