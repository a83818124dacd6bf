/** Decides whether a JSON value is small enough to be processed in one step without blocking the event loop. */
import { WideObject } from './wide-object.ts'

/** Maximum number of values and names. */
const MAX_SMALL_VALUES = 2048

/** Maximum characters of all strings and names together. */
const MAX_SMALL_CHARACTERS = 65_536

/** One value counts as this many characters, so that one number measures both limits. */
const CHARACTERS_EACH = MAX_SMALL_CHARACTERS / MAX_SMALL_VALUES

/** Maximum levels of nesting, because the check is recursive. */
const MAX_SMALL_LEVELS = 200

/** Stops as soon as the result is certain. */
export const isSmall = (value: unknown): boolean => charactersLeft(value, MAX_SMALL_CHARACTERS, MAX_SMALL_LEVELS) >= 0

/** The characters that are left of `budget`; negative if the value exceeds it. */
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
