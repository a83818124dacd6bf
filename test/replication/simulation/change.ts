/** One action of a schedule. It is created before it runs, so that several can run concurrently. */
import type { Model, Outcome } from './model.ts'
import { outcomeOf } from './world.ts'

export interface Action {
  readonly text: string
  /** The subjects that it changes. Concurrent actions have no common subject. */
  readonly subjects: readonly string[]
  run(): Promise<string>
}

export type After = (before: string) => string | undefined

export const always =
  (value: string): After =>
  () =>
    value

/** A call and its effects on a model. */
export function change(
  model: () => Model,
  text: string,
  effects: readonly (readonly [subject: string, after: After])[],
  call: () => Promise<unknown>,
): Action {
  return {
    text,
    subjects: effects.map(([subject]) => subject),
    async run() {
      const { outcome, error } = await outcomeOf(call())
      for (const [subject, after] of effects) model().changed(subject, outcome, after)
      return outcomeText(outcome, error)
    },
  }
}

export const outcomeText = (outcome: Outcome, error: unknown): string =>
  error instanceof Error ? `${outcome}: ${error.message.slice(0, 120)}` : outcome
