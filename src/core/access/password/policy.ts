/** Password policies: the length and characters of generated passwords, in Vault's format. */
import { invalid, type KernelError } from '../../base/errors.ts'
import type { Steps } from '../../base/steps.ts'
import { coreRecord } from '../../contract/core-record.ts'
import { HclBody, type HclMember, type HclValue, readText } from '../../hcl/index.ts'
import { POLICY_TEXT } from '../../policy/text.ts'

/** A rule of a policy: a password contains at least `least` of these characters. */
interface CharsetRule {
  /** The characters of the rule, without duplicates. */
  readonly characters: ReadonlySet<string>
  readonly least: number
}

export interface PasswordPolicy {
  /** The length of a password in characters (Unicode code points). */
  readonly length: number
  /** The characters of all rules, without duplicates, ordered by code point. */
  readonly characters: readonly string[]
  /** The rules that require at least one character. Other rules only add to `characters`. */
  readonly rules: readonly CharsetRule[]
}

/** The text as it was written, stored at `r/core/password-policy/<namespace uuid>/<name>`. */
export const PASSWORD_POLICY = /* @__PURE__ */ coreRecord<{ readonly text: string }>({ folder: 'password-policy' })

const MIN_LENGTH = 4

const MAX_LENGTH = 100

/** The limit is 256 because a random byte selects the character. */
const MAX_CHARSET_CHARACTERS = 256

const RULE = 'charset'

const refuse = (rule: string): KernelError => invalid(`policy: invalid password policy: ${rule}`)

/** Charsets may contain printable characters of all scripts; the only white space is the space. */
const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u

/**
 * Parses a policy in HCL, or in JSON if the text begins with a brace. Unknown members are ignored.
 * @throws KernelError 400 if the text is malformed, if the length is not 4 to 100, if the type of a rule is unknown, if a charset has
 * unprintable characters, if the rules have no characters or more than 256, or if together they require more characters than the length.
 */
export function* parsePasswordPolicy(text: string): Steps<PasswordPolicy> {
  const { members } = yield* readText(text, POLICY_TEXT)
  const length = wholeNumber(members, 'length') ?? 0
  const rules = members.filter(({ key }) => key === 'rule').flatMap((member) => [...rulesOf(member)])
  if (length <= 0) throw refuse('length must be > 0')
  const characters = [...charactersOf(rules.flatMap((rule) => [...rule.characters]))].sort(byCodePoint)
  if (characters.length === 0) throw refuse('no charset specified')
  const demanded = rules.reduce((sum, { least }) => sum + least, 0)
  if (demanded > length) throw refuse(`the rules require at least ${demanded} characters, but length is ${length}`)
  if (rules.some((rule) => rule.least > 0 && rule.characters.size === 0))
    throw refuse('a rule requires characters but its charset is empty')
  if (length < MIN_LENGTH || length > MAX_LENGTH)
    throw refuse(`passwords must be between ${MIN_LENGTH} and ${MAX_LENGTH} characters`)
  return { length, characters, rules: rules.filter(({ least }) => least > 0) }
}

const byCodePoint = (a: string, b: string): number => (a.codePointAt(0) as number) - (b.codePointAt(0) as number)

/** The type of a rule is the label of its block or, as in JSON, the only member of its block. */
function* rulesOf({ labels, value }: HclMember): Generator<CharsetRule, void, void> {
  if (labels.length > 1) throw refuse('a rule must have exactly one type')
  for (const block of listOf(value)) {
    if (!(block instanceof HclBody)) throw refuse('a rule must be a block')
    const [type, inner] = labels.length === 1 ? [labels[0], [block]] : typedBlock(block)
    if (type !== RULE) throw refuse(`the only supported rule type is "${RULE}"`)
    for (const inside of inner) {
      if (!(inside instanceof HclBody)) throw refuse(`a rule of type "${RULE}" must be a block`)
      yield readRule(inside)
    }
  }
}

function typedBlock({ members }: HclBody): readonly [string, readonly HclValue[]] {
  const [member] = members
  if (!member || members.length > 1 || member.labels.length > 0) throw refuse('a rule must have exactly one type')
  return [member.key, listOf(member.value)]
}

const listOf = (value: HclValue): readonly HclValue[] =>
  Array.isArray(value) ? (value as readonly HclValue[]) : [value as HclValue]

function readRule({ members }: HclBody): CharsetRule {
  const charset = only(members, 'charset') ?? ''
  if (typeof charset !== 'string') throw refuse('charset must be a string')
  if (UNPRINTABLE.test(charset)) throw refuse('non-printable character in charset')
  const least = wholeNumber(members, 'min-chars') ?? 0
  if (least < 0) throw refuse('min-chars must not be negative')
  return { characters: charactersOf(charset), least }
}

function charactersOf(all: Iterable<string>): ReadonlySet<string> {
  const characters = new Set<string>()
  for (const character of all)
    if (characters.add(character).size > MAX_CHARSET_CHARACTERS)
      throw refuse(`a charset may contain at most ${MAX_CHARSET_CHARACTERS} characters`)
  return characters
}

function wholeNumber(members: readonly HclMember[], name: string): number | undefined {
  const value = only(members, name)
  if (value === undefined) return undefined
  if (!Number.isSafeInteger(value)) throw refuse(`${name} must be a whole number`)
  return value as number
}

function only(members: readonly HclMember[], name: string): HclValue | undefined {
  const named = members.filter(({ key }) => key === name)
  if (named.length > 1) throw refuse(`${name} is given twice`)
  return named[0]?.value
}
