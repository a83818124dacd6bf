/**
 * Policies of a caller, made one. Room: core/policy. Imported by whoever authorises requests.
 */
import type { Acl, AclOperation, AclRequest, Decision, Explanation, NamedPolicy, ResultantAcl, TemplateIdentity } from './acl.ts'
import { CAPABILITY_BITS, type CapabilityName, type CapabilitySet, capabilityNames } from './capability.ts'
import { type CompiledRule, compileRule, mergeTerms } from './compiled-rule.ts'
import { explain } from './explain.ts'
import { PatternTree } from './pattern-tree.ts'
import type { RuleTerms } from './policy.ts'
import { refusalOf } from './restrictions.ts'
import { fillTemplate } from './template.ts'

const decision = (allowed: boolean, sudo: boolean): Decision => Object.freeze({ allowed, sudo })
const NOTHING = /* @__PURE__ */ decision(false, false)
const ALLOWED = /* @__PURE__ */ decision(true, false)
const SUDO = /* @__PURE__ */ decision(false, true)
const ALLOWED_AND_SUDO = /* @__PURE__ */ decision(true, true)

const { create, read, update, delete: remove, list, patch, sudo } = CAPABILITY_BITS

/** What each operation needs. Nothing grants a HEAD. */
const NEEDED: Readonly<Record<AclOperation, CapabilitySet>> = {
  create,
  read,
  update,
  delete: remove,
  list,
  patch,
  header: 0,
  help: 0,
}

/**
 * Compiles the policies of one caller; rules for one pattern merge, the later policies' values in front. It takes time linear in
 * their texts, so compile once and keep the result until a policy or the identity changes. A policy gets its rights from its
 * rules, never from its name: for `root` take {@link ROOT_ACL}.
 * @param identity for templates; without it, blocks with a template are left out.
 * @throws TypeError for a namespace that is no path, or has a segment that would act as a wildcard.
 */
export function compileAcl(policies: readonly NamedPolicy[], identity?: TemplateIdentity): Acl {
  const blocks = new Map<string, { readonly terms: RuleTerms[]; readonly policies: Set<string> }>()
  for (const { name, policy, namespace } of policies) {
    if (!isNamespace(namespace))
      throw new TypeError('namespace: must be empty, or segments each followed by a slash and none of them "+"')
    for (const rule of policy.rules) {
      const filled = rule.templated ? fillTemplate(rule.pattern, identity) : rule.pattern
      if (filled === undefined) continue
      const pattern = namespace + filled
      const block = blocks.get(pattern)
      if (block) {
        block.terms.push(rule)
        block.policies.add(name)
      } else blocks.set(pattern, { terms: [rule], policies: new Set([name]) })
    }
  }
  const rules: CompiledRule[] = []
  for (const [pattern, block] of blocks) rules.push(compileRule(pattern, mergeTerms(block.terms), [...block.policies]))
  return new CompiledAcl(rules)
}

const isNamespace = (path: string): boolean =>
  path === '' || (path.endsWith('/') && !path.startsWith('/') && !path.split('/').includes('+'))

class CompiledAcl implements Acl {
  readonly #rules: readonly CompiledRule[]
  readonly #tree: PatternTree

  constructor(rules: readonly CompiledRule[]) {
    this.#rules = rules
    this.#tree = new PatternTree(rules)
  }

  decide(request: AclRequest): Decision {
    const { operation } = request
    if (operation === 'help') return ALLOWED
    const rule = this.#tree.find(request.path, operation === 'list')
    if (!rule) return NOTHING
    const granted = (rule.capabilities & NEEDED[operation]) !== 0
    const allowed = granted && !(rule.restricted && refusalOf(rule, request) !== undefined)
    if ((rule.capabilities & sudo) !== 0) return allowed ? ALLOWED_AND_SUDO : SUDO
    return allowed ? ALLOWED : NOTHING
  }

  capabilities(path: string): readonly string[] {
    const rule = this.#tree.find(path.startsWith('/') ? path.slice(1) : path, true)
    return capabilityNames(rule?.capabilities ?? 0)
  }

  speaking({ path, operation }: AclRequest): readonly string[] {
    return this.#tree.find(path, operation === 'list')?.policies ?? []
  }

  explain(request: AclRequest): Explanation {
    return explain(this.#tree, request, this.decide(request))
  }

  reaches(prefix: string): boolean {
    return this.#tree.reaches(prefix)
  }

  resultant(): ResultantAcl {
    const of = (kind: CompiledRule['kind']): Readonly<Record<string, { readonly capabilities: readonly CapabilityName[] }>> =>
      Object.fromEntries(
        this.#rules
          .filter((rule) => rule.kind === kind)
          .map(({ stem, capabilities }) => [stem, { capabilities: capabilityNames(capabilities) }]),
      )
    return { root: false, exact_paths: of('exact'), glob_paths: of('prefix') }
  }
}

const ROOT_ALONE: readonly string[] = /* @__PURE__ */ Object.freeze(['root'])

/** Allows everything, sudo included: what the policy `root` stands for. */
export const ROOT_ACL: Acl = /* @__PURE__ */ Object.freeze({
  decide: () => ALLOWED_AND_SUDO,
  capabilities: () => ['root'],
  speaking: () => ROOT_ALONE,
  explain: (): Explanation => ({ allowed: true, sudo: true, root: true, reason: 'root may do everything' }),
  reaches: () => true,
  resultant: (): ResultantAcl => ({ root: true }),
})
