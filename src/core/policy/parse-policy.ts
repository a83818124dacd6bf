import { Pace, runToEnd, type Steps } from '../base/steps.ts'
import { HclBody, type HclMember, type HclValue, isJson, lineNumberAt, quoteText, readText } from '../hcl/index.ts'
import type { Policy, PolicyRule } from './policy.ts'
import { readRule } from './read-rule.ts'
import { POLICY_TEXT, refusePolicy } from './text.ts'

const MAX_RULES = 10_000

/** The estimated time to read a block. Reading a long block may also pause within the block. */
const RULE_MICROSECONDS = 3

/** A block of the policy. It contains the rules for one pattern. */
interface Block {
  readonly pattern: string
  readonly value: HclValue
  readonly at: number
}

/**
 * Parses a policy in HCL version 1, or in JSON if the text begins with a brace. The text may be empty or contain only comments. The time is
 * linear in its length.
 * @throws KernelError 400 `failed to parse policy: ...` with the line or the path, if the text is malformed, if it contains an unknown key
 * or capability, a value of the wrong type or an unbalanced template, or if it has more than 256 KiB, 10,000 blocks, 32 levels of nesting
 * or 1,000 values for a parameter.
 */
export function* parsePolicySteps(text: string): Steps<Policy> {
  const { members } = yield* readText(text, POLICY_TEXT)
  const json = isJson(text)
  const rules: PolicyRule[] = []
  const pace = new Pace()
  for (const member of members) {
    // The member `name` is ignored, as in Vault: a policy has the name under which it is stored.
    if (member.key === 'name' && member.labels.length === 0) continue
    if (member.key !== 'path') throw refusePolicy(`invalid key ${quoteText(member.key)} on line ${lineNumberAt(text, member.at)}`)
    for (const { pattern, value, at } of json ? jsonBlocks(member, text) : [hclBlock(member, text)]) {
      if (rules.length === MAX_RULES) throw refusePolicy(`a policy may have at most ${MAX_RULES} paths`)
      if (!(value instanceof HclBody))
        throw refusePolicy(`path ${quoteText(pattern)}: must be a block, on line ${lineNumberAt(text, at)}`)
      rules.push(yield* readRule(pattern, value, (offset) => lineNumberAt(text, offset), pace))
      if (pace.spend(RULE_MICROSECONDS)) yield
    }
  }
  return Object.freeze({ rules: Object.freeze(rules) })
}

/** {@link parsePolicySteps} without pauses. */
export const parsePolicy = (text: string): Policy => runToEnd(parsePolicySteps(text))

function hclBlock({ labels, value, at }: HclMember, text: string): Block {
  const [pattern] = labels
  if (pattern === undefined || labels.length > 1)
    throw refusePolicy(`"path" must have exactly one pattern, on line ${lineNumberAt(text, at)}`)
  return { pattern, value, at }
}

/**
 * Yields the blocks of a policy in JSON. The member `path` is an object that maps each pattern to a block, or a list of such objects.
 * Instead of a block, a pattern may have a list of blocks.
 */
function* jsonBlocks({ value, at }: HclMember, text: string): Generator<Block, void, void> {
  for (const paths of Array.isArray(value) ? (value as readonly HclValue[]) : [value]) {
    if (!(paths instanceof HclBody))
      throw refusePolicy(`"path" must be an object, or a list of objects, on line ${lineNumberAt(text, at)}`)
    for (const path of paths.members)
      for (const block of Array.isArray(path.value) ? (path.value as readonly HclValue[]) : [path.value])
        yield { pattern: path.key, value: block, at: path.at }
  }
}
