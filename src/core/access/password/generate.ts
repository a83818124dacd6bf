/**
 * Random passwords.
 */
import { EMPTY } from '../../base/bytes.ts'
import type { Entropy } from '../../base/entropy.ts'
import { invalid } from '../../base/errors.ts'
import { Pace, type Steps } from '../../base/steps.ts'
import type { PasswordPolicy } from './policy.ts'

/**
 * The most characters drawn and rules checked: some 50 ms, in pieces. Policies that people write are met within a few hundred; one that
 * random text hardly ever meets ends here.
 */
const MAX_WORK = 2_000_000

/** Estimated cost of drawing a character, or of checking a rule. */
const WORK_MICROSECONDS = 0.05

/** Random choices are drawn in blocks of this many. */
const BLOCK = 64

/**
 * A password of the policy, each equally likely: candidates are drawn until one meets all rules.
 * @throws KernelError (400) for rules that random text hardly ever meets
 */
export function* drawPassword({ length, characters, rules }: PasswordPolicy, entropy: Entropy): Steps<string> {
  const counted = characters.map((character) =>
    rules.flatMap(({ characters: own }, index) => (own.has(character) ? [index] : [])),
  )
  const choose = chooser(entropy, characters.length)
  const pace = new Pace()
  for (let work = 0; work < MAX_WORK; ) {
    const before = work
    const missing = rules.map(({ least }) => least)
    let password = ''
    let left = length
    // A candidate that can no longer meet the rules is given up.
    while (left > 0 && missing.every((more) => more <= left)) {
      const choice = choose()
      password += characters[choice]
      for (const rule of counted[choice] as readonly number[]) missing[rule] = Math.max(0, (missing[rule] as number) - 1)
      left--
      work += 1 + rules.length
    }
    if (left === 0 && missing.every((more) => more === 0)) return password
    work += 1 + rules.length
    if (pace.spend((work - before) * WORK_MICROSECONDS)) yield
  }
  throw invalid('policy: no password was found that meets the rules; they leave hardly any')
}

/** Numbers below `count` (at most 256), each equally likely: bytes that would cause a bias are skipped. */
function chooser(entropy: Entropy, count: number): () => number {
  const fair = 256 - (256 % count)
  let block: Uint8Array = EMPTY
  let at = 0
  return () => {
    for (;;) {
      if (at === block.length) {
        block = entropy.bytes(BLOCK)
        at = 0
      }
      const byte = block[at] as number
      block[at++] = 0
      if (byte < fair) return byte % count
    }
  }
}
