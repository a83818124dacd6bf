import { invalid, type KernelError } from '../../core/base/errors.ts'
import { Pace, runToEnd, type Steps } from '../../core/base/steps.ts'
import { HclBody, type HclMember, type HclValue, lineNumberAt, quoteText, readText, type TextKind } from '../../core/hcl/index.ts'
import { type Level, levelOf } from './level.ts'
import { levelsOf, type ResourceName, resourceOf } from './resource.ts'
import { type AclRule, type AclRules, RULE_KEYS, type RuleKey } from './rule.ts'

export const MAX_RULES_BYTES = 524_288

/** The estimated cost of reading a block. */
const RULE_MICROSECONDS = 6

/** The estimated cost of visiting a key or name. */
const LOOK_MICROSECONDS = 0.5

/** The maximum number of fields in one block, including unknown ones. */
const MAX_BLOCK_FIELDS = 1000

const refuse = (rule: string): KernelError => invalid(`failed to parse ACL rules: ${rule}`)

const RULES_TEXT: TextKind = { name: 'policy', longest: MAX_RULES_BYTES, refuse }

/**
 * Reads rules in HCL 1, or in JSON if they begin with a brace. An empty string contains no rules. Keys and levels match regardless of case; as in
 * Consul, unknown keys are ignored. Takes time linear in the length.
 * @throws KernelError (400) `failed to parse ACL rules: ...` if the text is neither HCL nor JSON, if a level is unknown, if a block has no
 * name or no `policy`, if a field is repeated in a block, if the key of a resource without names is repeated, or if the text has more than
 * 512 KiB, 32 levels of nesting or 1,000 fields in a block. The message also has the key, the broken rule and the line.
 */
export function* readRules(text: string): Steps<AclRules> {
  const { members } = yield* readText(text, RULES_TEXT)
  const rules: AclRule[] = []
  const seen = new Set<RuleKey>()
  const pace = new Pace()
  for (const member of members) {
    if (pace.spend(LOOK_MICROSECONDS)) yield
    const key = RULE_KEYS.get(member.key.toLowerCase())
    if (key === undefined) continue
    const place: RulePosition = { text, key, at: member.at }
    if (key.named)
      for (const block of yield* blocksOf(member, place, pace)) {
        rules.push(...rulesOf(block, place))
        if (pace.spend(RULE_MICROSECONDS)) yield
      }
    else {
      // Refuse a repeated key. Consul would use the last rule with this key and silently drop the others.
      if (seen.size === seen.add(key).size) throw refuseAt(`${key.key} is given twice`, place)
      rules.push(...singleRule(member, place))
    }
  }
  return Object.freeze(rules)
}

/** Like {@link readRules}, but synchronous. */
export const parseRules = (text: string): AclRules => runToEnd(readRules(text))

/** For error messages. */
interface RulePosition {
  readonly text: string
  readonly key: RuleKey
  readonly at: number
}

const refuseAt = (rule: string, { text, at }: RulePosition): KernelError => refuse(`${rule}, on line ${lineNumberAt(text, at)}`)

/** Reads a rule for a resource without names. An empty level means that there is no rule. */
function singleRule({ labels, value }: HclMember, place: RulePosition): AclRules {
  const { key, resource } = place.key
  if (value === '' && labels.length === 0) return []
  if (labels.length > 0) throw refuseAt(`${key} takes no name`, place)
  const level = readLevel(value, resource, (rule) => refuseAt(`${key} ${rule}`, place))
  return [Object.freeze({ resource, match: 'exact', name: '', level })]
}

interface Block {
  readonly name: string
  readonly value: HclValue
}

/**
 * Reads the blocks of a key. The name of a block is its label, as in `key "web" { ... }`, or the member that contains it, as in
 * `"key": { "web": { ... } }`. The value of the key and the value of such a member may also be lists.
 */
function* blocksOf({ labels, value }: HclMember, place: RulePosition, pace: Pace): Steps<readonly Block[]> {
  const { key } = place.key
  const [name] = labels
  if (labels.length > 1) throw refuseAt(`${key} takes one name`, place)
  if (name !== undefined) return [{ name, value }]
  const blocks: Block[] = []
  for (const named of listOf(value)) {
    if (!(named instanceof HclBody)) throw refuseAt(`${key} must be a block with a name`, place)
    for (const member of named.members) {
      if (member.labels.length > 0) throw refuseAt(`${key} takes one name`, place)
      for (const block of listOf(member.value)) blocks.push({ name: member.key, value: block })
      if (pace.spend(LOOK_MICROSECONDS)) yield
    }
    if (pace.spend(LOOK_MICROSECONDS)) yield
  }
  return blocks
}

const listOf = (value: HclValue): readonly HclValue[] =>
  Array.isArray(value) ? (value as readonly HclValue[]) : [value as HclValue]

function* rulesOf({ name, value }: Block, place: RulePosition): Generator<AclRule, void, void> {
  const { key, match, fields } = place.key
  const fail = (rule: string, at = place.at): KernelError => refuseAt(`${key} ${quoteText(name)}${rule}`, { ...place, at })
  if (!(value instanceof HclBody)) throw fail(' must be a block')
  if (value.members.length > MAX_BLOCK_FIELDS) throw fail(` has more than ${MAX_BLOCK_FIELDS} fields`)
  const given = new Map<string, HclMember>()
  for (const member of value.members) {
    const field = member.key.toLowerCase()
    if (!Object.hasOwn(fields, field)) continue
    if (given.has(field)) throw fail(`: ${field} is given twice`, member.at)
    if (member.labels.length > 0) throw fail(`: ${field} takes no name`, member.at)
    given.set(field, member)
  }
  if (!given.has('policy')) throw fail(': policy is missing')
  for (const [field, { value: level, at }] of given) {
    const resource = fields[field] as ResourceName
    // In an optional field, an empty level counts as absent.
    if (level === '' && resourceOf(resource).within) continue
    const read = readLevel(level, resource, (rule) => fail(`: ${field} ${rule}`, at))
    yield Object.freeze({ resource, match, name, level: read })
  }
}

function readLevel(value: HclValue, resource: ResourceName, fail: (rule: string) => KernelError): Level {
  const level = typeof value === 'string' ? levelOf(value) : undefined
  const levels = levelsOf(resource)
  if (level !== undefined && levels.includes(level)) return level
  throw fail(`must be one of ${levels.join(', ')}`)
}
