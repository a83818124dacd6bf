/** Generates random passwords. */
import { EMPTY } from '../../base/bytes.ts'
import type { Entropy } from '../../base/entropy.ts'
import { invalid } from '../../base/errors.ts'
import { Pace, type Steps } from '../../base/steps.ts'
import type { PasswordPolicy } from './policy.ts'

/**
 * The maximum number of drawn characters plus checked rules. Useful policies need a few hundred. The limit ends the work after about 0.1 s
 * if random candidates almost never satisfy the policy.
 */
const MAX_WORK = 2_000_000

/** Estimated time to draw one character or check one rule. */
const WORK_MICROSECONDS = 0.05

/** Random bytes are drawn in blocks of this size. */
const BLOCK = 64

/**
 * Draws random candidates until a candidate satisfies all rules. So all valid passwords are equally likely.
 * @throws KernelError 400 if random candidates almost never satisfy the rules.
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
    // Stop as soon as the candidate cannot satisfy the rules any more.
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
  throw invalid('policy: no password that satisfies the rules was found; relax the rules')
}

/** Draws numbers from 0 to `count - 1` (`count` is at most 256). Bytes that would make some numbers more likely are skipped. */
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
