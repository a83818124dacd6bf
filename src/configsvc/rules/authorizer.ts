/**
 * Decides by the policies of a token.
 */
import { finish, type Steps } from '../../core/base/steps.ts'
import { isGrantedBy, rankOf } from './level.ts'
import { mergeAclRules, type NamedRules } from './merge-rules.ts'
import { buildNameTable, type NameTable } from './name-table.ts'
import {
  ACCESSES,
  comparedName,
  RESOURCE_NAMES,
  type Resource,
  type ResourceAccess,
  type ResourceName,
  resourceOf,
} from './resource.ts'
import { writtenAs } from './rule.ts'
import type { Ruling } from './ruling.ts'

/** What holds where no rule speaks. */
export type DefaultPolicy = 'allow' | 'deny'

export interface RulesExplanation {
  /** Whether it is allowed. */
  readonly allow: boolean
  /** What decided. */
  readonly by: DecidingRule | 'default'
}

/** The rule that decided; of several that say the same, that of the policy whose name comes first. */
export interface DecidingRule {
  /** The name of the policy that it is from. */
  readonly policy: string
  /** The rule. */
  readonly rule: ExplainedAclRule
}

/** A rule as the text of its policy has it, such as `service_prefix "web" { intentions = "read" }`. */
export interface ExplainedAclRule {
  /** What it begins with, such as `service_prefix`. */
  readonly key: string
  /** The name or prefix; empty where its kind has none. */
  readonly name: string
  /** The line of its block, such as `policy`. */
  readonly field: string
  /** What it grants, such as `read`. */
  readonly level: string
}

/** One resource with its rules. */
interface ResourceRules {
  readonly row: Resource
  readonly rules: NameTable
  /** What holds where no rule speaks. */
  readonly open: boolean
}

/** Decisions by one set of policies. Immutable. */
export class Authorizer {
  readonly #guarded: ReadonlyMap<ResourceName, ResourceRules>

  constructor(guarded: ReadonlyMap<ResourceName, ResourceRules>) {
    this.#guarded = guarded
  }

  /**
   * Whether the access is allowed. Its time grows with the logarithm of the number of rules.
   * @param segment the name that is asked about, or the prefix of names for `write-prefix`; nothing for a resource without names
   * @throws TypeError for an access that the resource lacks; what a stranger sends goes through `readPermission` first.
   */
  decide(resource: ResourceName, access: ResourceAccess, segment = ''): boolean {
    const guarded = this.#of(resource, access)
    return allows(guarded, access, this.#ruling(guarded, access, segment))
  }

  /** Whether some name exists to which the access is allowed, as far as the rules tell. */
  allowsAny(resource: ResourceName, access: ResourceAccess): boolean {
    const guarded = this.#of(resource, access)
    if (!guarded.row.named) return this.decide(resource, access)
    return allows(guarded, access, guarded.rules.findAny(rankOf(ACCESSES[access].needs)))
  }

  /** {@link decide}, with the rule that did. */
  explain(resource: ResourceName, access: ResourceAccess, segment = ''): RulesExplanation {
    const guarded = this.#of(resource, access)
    const ruling = this.#ruling(guarded, access, segment)
    const allow = allows(guarded, access, ruling)
    if (!ruling) return { allow, by: 'default' }
    const { policy, rule } = ruling
    return { allow, by: { policy, rule: { ...writtenAs(rule), name: rule.name, level: rule.level } } }
  }

  #of(resource: ResourceName, access: ResourceAccess): ResourceRules {
    const guarded = this.#guarded.get(resource)
    if (!guarded?.row.accesses.includes(access)) throw new TypeError('access: must be one that the resource has')
    return guarded
  }

  #ruling({ row, rules }: ResourceRules, access: ResourceAccess, segment: string): Ruling | undefined {
    if (!row.named) return rules.find('') ?? (row.otherwise && this.#guarded.get(row.otherwise)?.rules.find(''))
    const { needs, tree } = ACCESSES[access]
    if (tree) return rules.findTree(comparedName(row, segment))
    if (segment === row.all) return needs === 'write' ? rules.findAll(rankOf(needs)) : rules.findAny(rankOf(needs))
    return rules.find(comparedName(row, segment))
  }
}

const allows = ({ open }: ResourceRules, access: ResourceAccess, ruling: Ruling | undefined): boolean =>
  ruling ? isGrantedBy(ruling.rank, rankOf(ACCESSES[access].needs)) : open

/** Compiles policies, in time that is nearly linear in their rules. Neither their order nor one that is given twice changes anything. */
export function* buildAuthorizer(policies: readonly NamedRules[], defaultPolicy: DefaultPolicy): Steps<Authorizer> {
  const merged = yield* mergeAclRules(policies)
  const guarded = new Map<ResourceName, ResourceRules>()
  for (const resource of RESOURCE_NAMES) {
    const row = resourceOf(resource)
    const rules = yield* buildNameTable(merged.get(resource) ?? [])
    guarded.set(resource, { row, rules, open: defaultPolicy === 'allow' && !row.closed })
  }
  return new Authorizer(guarded)
}

/** {@link buildAuthorizer} at once. */
export const authorizerOf = (policies: readonly NamedRules[], defaultPolicy: DefaultPolicy): Authorizer =>
  finish(buildAuthorizer(policies, defaultPolicy))
