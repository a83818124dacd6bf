/**
 * Builds the authorizer of a token from its policies, the policies of its roles, its identities and its templated policies. Every use reads
 * the records again, but compiles them only if a record has changed.
 */
import { Pace, type Steps } from '../../core/base/steps.ts'
import { KernelService } from '../../core/contract/kernel-service.ts'
import { loadAll } from '../../core/transaction/load-all.ts'
import type { ConfigTx } from '../call.ts'
import { type Authorizer, appliesIn, buildAuthorizer, type NamedRules, readRules, syntheticPolicies } from '../rules/index.ts'
import { CONFIG_SETTINGS, type ConfigSettings } from '../settings.ts'
import type { AuthorizerCache } from './authorizer-cache.ts'
import { aclContentHashIn } from './hash.ts'
import {
  ACL_POLICY,
  ACL_ROLE,
  type AclPolicyRecord,
  type AclRoleRecord,
  type AclTokenRecord,
  byId,
  type Grants,
} from './records.ts'

/** The compiled policies of a service. */
export const AUTHORIZERS = /* @__PURE__ */ new KernelService<AuthorizerCache>()

/** Estimated costs of visiting a link, and of compiling a policy apart from parsing its rules. */
const LINK_MICROSECONDS = 0.1

const POLICY_MICROSECONDS = 30

export function authorizerOfToken(tx: ConfigTx, token: AclTokenRecord): Authorizer {
  const cache = AUTHORIZERS.of(tx)
  const known = cache.inputsOf(token)
  const ns = token.Namespace
  // Links to deleted roles and policies grant nothing.
  const roles = loadAll(token.Roles, ({ ID }) => tx.get(ACL_ROLE, byId(ns, ID))).filter((role) => role !== undefined)
  const links = known && areSame(known.roles, roles) ? known.links : linksOf(tx, token, roles)
  const policies = loadAll(links, (ID) => tx.get(ACL_POLICY, byId(ns, ID))).filter((policy) => policy !== undefined)
  if (known?.links === links && areSame(known.policies, policies)) return known.authorizer
  const authorizer = compiledAuthorizer(tx, token, roles, policies)
  cache.setInputs(token, { roles, links, policies, authorizer })
  return authorizer
}

/** Compares objects by identity, because a changed record is a new object. */
const areSame = <T>(a: readonly T[], b: readonly T[]): boolean => a.length === b.length && a.every((item, i) => item === b[i])

const versionOf = ({ ID, ModifyIndex }: AclRoleRecord | AclPolicyRecord): string => `${ID}:${ModifyIndex}`

function linksOf(tx: ConfigTx, token: AclTokenRecord, roles: readonly AclRoleRecord[]): readonly string[] {
  if (roles.length === 0) return token.Policies.map(({ ID }) => ID)
  const collect = function* (): Steps<readonly string[]> {
    const pace = new Pace()
    const ids = new Set<string>()
    for (const { Policies } of [token, ...roles]) {
      for (const { ID } of Policies) ids.add(ID)
      if (pace.spend(Policies.length * LINK_MICROSECONDS)) yield
    }
    return [...ids]
  }
  return tx.steps(`links of ${[versionOfToken(token), ...roles.map(versionOf)].join(' ')}`, collect)
}

const versionOfToken = ({ AccessorID, ModifyIndex }: AclTokenRecord): string => `${AccessorID}:${ModifyIndex}`

function compiledAuthorizer(
  tx: ConfigTx,
  token: AclTokenRecord,
  roles: readonly AclRoleRecord[],
  policies: readonly AclPolicyRecord[],
): Authorizer {
  const cache = AUTHORIZERS.of(tx)
  const settings = CONFIG_SETTINGS.of(tx)
  // Tokens with the same grants, such as those created by repeated logins, share an authorizer.
  const own = grantsDirectly(token) ? [`own:${directGrantsHash(tx, token)}`] : []
  const key = [token.Namespace, ...own, ...[...roles.filter(grantsDirectly), ...policies].map(versionOf).sort()].join(' ')
  const known = cache.get(key)
  if (known) return known
  const authorizer = tx.steps(`authorizer ${key}`, () => compile([token, ...roles], policies, settings))
  return cache.add(key, authorizer)
}

/** Whether the role or token has grants other than links: identities or templated policies. */
const grantsDirectly = ({ ServiceIdentities, NodeIdentities, TemplatedPolicies }: Grants): boolean =>
  ServiceIdentities.length + NodeIdentities.length + TemplatedPolicies.length > 0

const directGrantsHash = (tx: ConfigTx, { ServiceIdentities, NodeIdentities, TemplatedPolicies }: Grants): string =>
  aclContentHashIn(tx, [JSON.stringify([ServiceIdentities, NodeIdentities, TemplatedPolicies])])

function* compile(
  holders: readonly Grants[],
  policies: readonly AclPolicyRecord[],
  { datacenter, defaultPolicy }: ConfigSettings,
): Steps<Authorizer> {
  const pace = new Pace()
  const named: NamedRules[] = []
  const synthetic = new Set<string>()
  const add = function* ({ Name, Rules }: Pick<AclPolicyRecord, 'Name' | 'Rules'>): Steps<void> {
    named.push({ name: Name, rules: yield* readRules(Rules) })
    if (pace.spend(POLICY_MICROSECONDS)) yield
  }
  for (const policy of policies) if (appliesIn(policy, datacenter)) yield* add(policy)
  for (const holder of holders)
    for (const policy of syntheticPolicies(holder)) {
      if (!appliesIn(policy, datacenter) || synthetic.has(policy.ID)) continue
      synthetic.add(policy.ID)
      yield* add(policy)
    }
  return yield* buildAuthorizer(named, defaultPolicy)
}
