/** Decides whether a JSON value is small enough to be processed in one step without blocking the event loop for long. */
import { WideObject } from './wide-object.ts'

/** The maximum number of values. */
const MAX_SMALL_VALUES = 2048

/** The maximum number of characters in all strings and names together. */
const MAX_SMALL_CHARACTERS = 65_536

/** Each value counts as this many characters, in addition to those of its string. So one budget enforces both limits. */
const CHARACTERS_EACH = MAX_SMALL_CHARACTERS / MAX_SMALL_VALUES

/** The maximum number of levels of nesting. It is needed because the check is recursive. */
const MAX_SMALL_LEVELS = 200

/** Whether a value is within these limits. The check stops as soon as the value exceeds a limit. */
export const isSmall = (value: unknown): boolean => charactersLeft(value, MAX_SMALL_CHARACTERS, MAX_SMALL_LEVELS) >= 0

/** Returns the part of `budget` that remains after the value. Negative if the value exceeds the budget. */
function charactersLeft(value: unknown, budget: number, levels: number): number {
  let rest = budget - CHARACTERS_EACH
  if (typeof value === 'string') return rest - value.length
  if (typeof value !== 'object' || value === null) return rest
  if (value instanceof WideObject || levels === 0) return -1
  if (Array.isArray(value)) {
    if (value.length > MAX_SMALL_VALUES) return -1
    for (let at = 0; at < value.length && rest >= 0; at++) rest = charactersLeft(value[at], rest, levels - 1)
    return rest
  }
  for (const name in value) {
    rest = charactersLeft((value as Readonly<Record<string, unknown>>)[name], rest - name.length, levels - 1)
    if (rest < 0) break
  }
  return rest
}
