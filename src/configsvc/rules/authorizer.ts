/** Decides about permissions by the merged policies of a token. */
import { runToEnd, type Steps } from '../../core/base/steps.ts'
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

/** The decision if no rule matches. */
export type DefaultPolicy = 'allow' | 'deny'

export interface RulesExplanation {
  /** Whether the access is allowed. */
  readonly allow: boolean
  /** The rule that decided, or the default policy. */
  readonly by: DecidingRule | 'default'
}

/** The rule that decided. If several policies contain equal rules, the first policy by name. */
export interface DecidingRule {
  /** The name of the policy that contains the rule. */
  readonly policy: string
  /** The rule. */
  readonly rule: ExplainedAclRule
}

/** A rule as it is written in its policy, such as `service_prefix "web" { intentions = "read" }`. */
export interface ExplainedAclRule {
  /** The key of the rule, such as `service_prefix`. */
  readonly key: string
  /** The name or prefix; empty if the resource has no names. */
  readonly name: string
  /** The field in the rule's block that has the level, such as `policy`. */
  readonly field: string
  /** The level, such as `read`. */
  readonly level: string
}

/** The rules of one kind of resource. */
interface ResourceRules {
  readonly row: Resource
  readonly rules: NameTable
  /** Whether access is allowed if no rule matches. */
  readonly open: boolean
}

/** Makes decisions by one set of policies. Immutable. */
export class Authorizer {
  readonly #guarded: ReadonlyMap<ResourceName, ResourceRules>

  constructor(guarded: ReadonlyMap<ResourceName, ResourceRules>) {
    this.#guarded = guarded
  }

  /**
   * Takes logarithmic time in the number of rules.
   * @param segment The name of the resource; for `write-prefix` the prefix of the names; empty for kinds of resources without names.
   * @throws TypeError for an access that the resource does not have. Validate untrusted input with `readPermission` first.
   */
  decide(resource: ResourceName, access: ResourceAccess, segment = ''): boolean {
    const guarded = this.#of(resource, access)
    return allows(guarded, access, this.#ruling(guarded, access, segment))
  }

  /** Whether the rules allow the access for at least one name. */
  allowsAny(resource: ResourceName, access: ResourceAccess): boolean {
    const guarded = this.#of(resource, access)
    if (!guarded.row.named) return this.decide(resource, access)
    return allows(guarded, access, guarded.rules.findAny(rankOf(ACCESSES[access].needs)))
  }

  /** Like {@link decide}, but also returns the rule that decided. */
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
    if (!guarded?.row.accesses.includes(access)) throw new TypeError('access: must be one that the resource supports')
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

/** Compiles policies in nearly linear time. The result depends neither on their order nor on duplicates. */
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

/** Like {@link buildAuthorizer}, but synchronous. */
export const authorizerOf = (policies: readonly NamedRules[], defaultPolicy: DefaultPolicy): Authorizer =>
  runToEnd(buildAuthorizer(policies, defaultPolicy))
