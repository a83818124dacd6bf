/** Parsed rules, and the keys of rules in policies. */
import type { Level } from './level.ts'
import { RESOURCE_NAMES, type ResourceName, resourceOf } from './resource.ts'

/** Whether a rule applies to one name, or to all names with a prefix. */
export type Match = 'exact' | 'prefix'

export interface AclRule {
  readonly resource: ResourceName
  readonly match: Match
  /** Empty if the resource has no names. */
  readonly name: string
  readonly level: Level
}

/** The rules of a policy, in the order in which the policy lists them. Several rules may apply to the same name. Immutable. */
export type AclRules = readonly AclRule[]

/** A key in the text of a policy, such as `service_prefix`. */
export interface RuleKey {
  readonly key: string
  readonly resource: ResourceName
  readonly named: boolean
  readonly match: Match
  /** Maps the names of the fields in the key's block to the resources to which they apply. The field `policy` is required. */
  readonly fields: Readonly<Record<string, ResourceName>>
}

const fieldsOf = (resource: ResourceName): Readonly<Record<string, ResourceName>> => {
  const fields: Record<string, ResourceName> = { policy: resource }
  for (const name of RESOURCE_NAMES) {
    const { within } = resourceOf(name)
    if (within?.resource === resource) fields[within.field] = name
  }
  return Object.freeze(fields)
}

const keysOf = (resource: ResourceName): readonly RuleKey[] => {
  const { named, within } = resourceOf(resource)
  if (within) return []
  const one: RuleKey = Object.freeze({ key: resource, resource, named, match: 'exact', fields: fieldsOf(resource) })
  return named ? [one, Object.freeze({ ...one, key: `${resource}_prefix`, match: 'prefix' })] : [one]
}

const byKey = (resources: readonly ResourceName[]): ReadonlyMap<string, RuleKey> =>
  new Map(resources.flatMap(keysOf).map((row) => [row.key, row]))

export const RULE_KEYS = /* @__PURE__ */ byKey(RESOURCE_NAMES)

/** The key and the field with which a rule is written. */
export function writtenAs({ resource, match }: AclRule): { readonly key: string; readonly field: string } {
  const { within } = resourceOf(resource)
  const key = within?.resource ?? resource
  return { key: match === 'prefix' ? `${key}_prefix` : key, field: within?.field ?? 'policy' }
}
