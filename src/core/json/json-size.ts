/**
 * Whether a JSON value is small, so that processing it in one go does not block the event loop.
 */
import { WideObject } from './wide-object.ts'

/** Values and names. */
const MAX_SMALL_VALUES = 2048

/** Of all texts and names together. */
const MAX_SMALL_CHARACTERS = 65_536

/** One value counts as this many characters, so that a single number measures both. */
const CHARACTERS_EACH = MAX_SMALL_CHARACTERS / MAX_SMALL_VALUES

/** Levels of nesting, which use the stack. */
const MAX_SMALL_LEVELS = 200

/** Stops as soon as the answer is certain. */
export const isSmall = (value: unknown): boolean => charactersLeft(value, MAX_SMALL_CHARACTERS, MAX_SMALL_LEVELS) >= 0

/** What is left of `room`, negative when it is used up. */
function charactersLeft(value: unknown, room: number, levels: number): number {
  let rest = room - CHARACTERS_EACH
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
