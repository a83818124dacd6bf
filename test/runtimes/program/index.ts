/** Checks of the kernel that run on every runtime; they need nothing except the library. */
import { access } from './access.ts'
import { forge } from './forge.ts'
import { keys } from './keys.ts'
import { knownAnswers } from './known-answers.ts'
import type { Check, Environment } from './library.ts'
import { life } from './life.ts'

const CHECKS: Readonly<Record<string, Check>> = { ...knownAnswers, ...keys, ...forge, ...access, ...life }

/** The report of a run in which all checks have passed. */
export const EVERYTHING: readonly string[] = Object.keys(CHECKS).map((name) => `${name}: passed`)

/** Runs all checks and returns one line for each: its name, and `passed` or the error. */
export async function run(environment: Environment): Promise<readonly string[]> {
  const lines: string[] = []
  for (const [name, check] of Object.entries(CHECKS)) {
    const outcome = await check(environment).then(
      () => 'passed',
      (error: unknown) => (error instanceof Error ? `${error.message}\n${error.stack}` : String(error)),
    )
    lines.push(`${name}: ${outcome}`)
  }
  return lines
}
