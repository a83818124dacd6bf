/** Parses one block of a policy. */
import { parseAbsoluteTime } from '../base/absolute-time.ts'
import { parseDuration } from '../base/duration.ts'
import { KernelError } from '../base/errors.ts'
import type { Pace, Steps } from '../base/steps.ts'
import { HclBody, type HclValue, quoteText } from '../hcl/index.ts'
import { CAPABILITY_BITS, type CapabilityName, type CapabilitySet } from './capability.ts'
import type { ParameterValues, PolicyRule, PolicyValue } from './policy.ts'
import { isTemplated } from './template.ts'
import { refusePolicy } from './text.ts'

/** The maximum length of a pattern. No request path is longer. */
export const MAX_PATTERN_CHARACTERS = 4096

/** The maximum number of allowed or denied values for a parameter. */
const MAX_VALUES = 1000

/** The estimated time to convert a list or a member. */
const VALUE_MICROSECONDS = 1.5

/** Capabilities of Vault that have no effect here. They are accepted so that policies written for Vault are accepted. */
const UNUSED_CAPABILITIES = ['scan', 'subscribe', 'recover']

const { create, read, update, delete: remove, list, sudo, deny } = CAPABILITY_BITS

const WRITE = create | read | update | remove | list

/** The capabilities for each value of the former shorthand `policy = "..."`. */
const SHORTHANDS: Readonly<Record<string, CapabilitySet>> = { deny, read: read | list, write: WRITE, sudo: WRITE | sudo }

/** A rule while its block is parsed. */
type Draft = { -readonly [K in keyof PolicyRule]: PolicyRule[K] }

/**
 * For each key of a block, a function that sets the corresponding members of the rule. A function whose value may be long returns a
 * generator that yields to the event loop. Error messages do not contain the path; the caller adds it.
 */
const KEYS: Readonly<Record<string, (draft: Draft, value: HclValue, key: string, pace: Pace) => Steps<void> | undefined>> = {
  capabilities: (draft, value, key) => {
    for (const word of texts(value, key)) draft.capabilities |= capabilityOf(word)
    return undefined
  },
  policy: (draft, value, key) => {
    if (typeof value !== 'string') throw refusal(`${key} must be a string`)
    if (!Object.hasOwn(SHORTHANDS, value)) throw refusal(`invalid policy ${quoteText(value)}`)
    draft.capabilities |= SHORTHANDS[value] as CapabilitySet
    return undefined
  },
  *allowed_parameters(draft, value, key, pace) {
    draft.allowed = yield* parameters(value, key, pace)
  },
  *denied_parameters(draft, value, key, pace) {
    draft.denied = yield* parameters(value, key, pace)
  },
  required_parameters: (draft, value, key) => {
    const names = new Set(texts(value, key).map((name) => name.toLowerCase()))
    draft.required = Object.freeze(names.size > 0 ? [Object.freeze([...names])] : [])
    return undefined
  },
  min_wrapping_ttl: (draft, value, key) => {
    draft.minWrappingTtl = seconds(value, key)
    return undefined
  },
  max_wrapping_ttl: (draft, value, key) => {
    draft.maxWrappingTtl = seconds(value, key)
    return undefined
  },
  expiration: (draft, value, key) => {
    if (typeof value !== 'string' && typeof value !== 'number') throw refusal(`${key} must be a string or a number of seconds`)
    draft.ends = parseAbsoluteTime(value, key)
    return undefined
  },
  comment: () => undefined,
}

/**
 * Parses the rule of a block.
 * @param lineOf Returns the line of a text position, for error messages.
 * @throws KernelError 400
 */
export function* readRule(written: string, body: HclBody, lineOf: (at: number) => number, pace: Pace): Steps<PolicyRule> {
  const pattern = written.startsWith('/') ? written.slice(1) : written
  const fail = (rule: string): KernelError => refusePolicy(`path ${quoteText(pattern)}: ${rule}`)
  if (pattern.length > MAX_PATTERN_CHARACTERS) throw fail(`a pattern must be at most ${MAX_PATTERN_CHARACTERS} characters long`)
  if (pattern.includes('+*')) throw fail(`invalid use of wildcards ('+*' is forbidden)`)
  const templated = isTemplated(pattern)
  if (templated === undefined) throw fail('failed to validate policy templating: unbalanced templating characters')
  const draft: Draft = {
    pattern,
    templated,
    capabilities: 0,
    allowed: undefined,
    denied: undefined,
    required: [],
    minWrappingTtl: 0,
    maxWrappingTtl: 0,
    ends: undefined,
  }
  const seen = new Set<string>()
  for (const { key, labels, value, at } of body.members) {
    if (!Object.hasOwn(KEYS, key)) throw fail(`invalid key ${quoteText(key)} on line ${lineOf(at)}`)
    if (labels.length > 0) throw fail(`${key} takes no label, on line ${lineOf(at)}`)
    // Vault merges some repeated keys and overrides others, so repeated keys are ambiguous and refused.
    if (seen.size === seen.add(key).size && key !== 'comment') throw fail(`${key} is given twice, on line ${lineOf(at)}`)
    try {
      const steps = KEYS[key]?.(draft, value, key, pace)
      if (steps) yield* steps
    } catch (error) {
      if (error instanceof KernelError) throw fail(error.message)
      throw error
    }
  }
  const { minWrappingTtl: min, maxWrappingTtl: max } = draft
  if (min > 0 && max > 0 && max < min) throw fail('max_wrapping_ttl cannot be less than min_wrapping_ttl')
  if ((draft.capabilities & deny) !== 0) draft.capabilities = deny
  return Object.freeze(draft)
}

/** Creates an error for {@link readRule}, which adds the path to the message. */
const refusal = (rule: string): KernelError => new KernelError('ERR_INVALID_REQUEST', rule)

function capabilityOf(word: string): CapabilitySet {
  if (Object.hasOwn(CAPABILITY_BITS, word)) return CAPABILITY_BITS[word as CapabilityName]
  if (UNUSED_CAPABILITIES.includes(word)) return 0
  throw refusal(`invalid capability ${quoteText(word)}`)
}

function texts(value: HclValue, key: string): readonly string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value as readonly string[]
  throw refusal(`${key} must be a list of strings`)
}

function seconds(value: HclValue, key: string): number {
  if (typeof value === 'string' || typeof value === 'number') return parseDuration(value, key)
  throw refusal(`${key} must be a number of seconds or a string such as "1h30m"`)
}

/** Returns the values for each parameter, keyed by lower-case name. Returns undefined for an empty map, which restricts nothing. */
function* parameters(value: HclValue, key: string, pace: Pace): Steps<ParameterValues | undefined> {
  if (!(value instanceof HclBody)) throw refusal(`${key} must be a map of names to lists of values`)
  const values = new Map<string, readonly PolicyValue[]>()
  for (const member of value.members) {
    const name = member.key.toLowerCase()
    if (!Array.isArray(member.value) || member.labels.length > 0)
      throw refusal(`${key}: ${quoteText(member.key)} must be a list of values`)
    if (member.value.length > MAX_VALUES) throw refusal(`${key}: ${quoteText(member.key)} has more than ${MAX_VALUES} values`)
    if (values.has(name)) throw refusal(`${key}: ${quoteText(name)} is given twice`)
    values.set(name, yield* plainList(member.value as readonly HclValue[], key, pace))
  }
  return values.size === 0 ? undefined : values
}

/** Converts a parsed list to frozen JavaScript values. */
function* plainList(list: readonly HclValue[], key: string, pace: Pace): Steps<readonly PolicyValue[]> {
  if (pace.spend(VALUE_MICROSECONDS)) yield
  const values: PolicyValue[] = []
  for (const value of list) values.push(isScalar(value) ? value : yield* plainValue(value, key, pace))
  return Object.freeze(values)
}

type Scalar = string | number | bigint | boolean

const isScalar = (value: HclValue): value is Scalar => typeof value !== 'object'

function* plainValue(value: HclValue, key: string, pace: Pace): Steps<PolicyValue> {
  if (isScalar(value)) return value
  if (value === null) throw refusal(`${key}: null is not allowed`)
  if (!(value instanceof HclBody)) return yield* plainList(value, key, pace)
  if (pace.spend(VALUE_MICROSECONDS)) yield
  const members = new Map<string, PolicyValue>()
  for (const { key: name, labels, value: inner } of value.members) {
    if (labels.length > 0 || members.has(name)) throw refusal(`${key}: ${quoteText(name)} is given twice`)
    members.set(name, yield* plainValue(inner, key, pace))
    if (pace.spend(VALUE_MICROSECONDS)) yield
  }
  return Object.freeze(Object.fromEntries(members))
}
