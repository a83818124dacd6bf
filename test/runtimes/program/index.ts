/** The kernel as a user has it, for every runtime: it takes the library, and needs nothing else. */
import { access } from './access.ts'
import { keys } from './keys.ts'
import { knownAnswers } from './known-answers.ts'
import type { Check, Given } from './library.ts'
import { life } from './life.ts'

const CHECKS: Readonly<Record<string, Check>> = { ...knownAnswers, ...keys, ...access, ...life }

/** What a run has to report where everything is as it should be. */
export const EVERYTHING: readonly string[] = Object.keys(CHECKS).map((name) => `${name}: passed`)

/** A line for each check: its name, and `passed` or what was wrong. */
export async function run(given: Given): Promise<readonly string[]> {
  const lines: string[] = []
  for (const [name, check] of Object.entries(CHECKS)) {
    const outcome = await check(given).then(
      () => 'passed',
      (error: unknown) => (error instanceof Error ? `${error.message}\n${error.stack}` : String(error)),
    )
    lines.push(`${name}: ${outcome}`)
  }
  return lines
}
