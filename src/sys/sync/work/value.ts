/** Converts a secret to the strings that are pushed: one for the entire secret, or one for each of its keys. */
import { Pace, type Steps } from '../../../core/base/steps.ts'
import { texts } from '../../../core/base/texts.ts'
import type { Document } from '../../../core/json/document.ts'
import { entriesOf, WideObject } from '../../../core/json/wide-object.ts'
import { compareKeys } from '../../../core/storage/order.ts'
import type { SyncGranularity, SyncRules } from '../port.ts'

/** The key under which `pushedValuesOf` returns the value of the secret as a whole. */
export const WHOLE_SECRET = ''

/** The maximum number of keys in a secret whose keys are pushed separately. */
export const MAX_SECRET_KEYS = 250

/** The maximum number of characters in the JSON of a secret whose keys are pushed separately. */
const MAX_SECRET_CHARACTERS = 1_048_576

/** Whether the text has more than `most` bytes in UTF-8. */
export const exceedsBytes = (text: string, most: number): boolean => text.length > most || texts.byteLength(text) > most

/** Returns the size rule that the secret violates, if any. Decides by the length of `text`, before it is parsed. */
export function sizeRuleBroken(text: string, granularity: SyncGranularity, { maxValueBytes }: SyncRules): string | undefined {
  if (granularity === 'secret-key')
    return text.length > MAX_SECRET_CHARACTERS ? `its JSON must have at most ${MAX_SECRET_CHARACTERS} characters` : undefined
  // `text` is as long as the pushed JSON, which only has its keys in another order.
  return exceedsBytes(text, maxValueBytes)
    ? `its JSON must have at most ${maxValueBytes} bytes, the limit of the store`
    : undefined
}

/** Returns the values to push, keyed by key of the secret. Strings are pushed unchanged, other values as JSON. */
export function* pushedValuesOf(document: Document, granularity: SyncGranularity): Steps<ReadonlyMap<string, string>> {
  if (granularity === 'secret-path') return new Map([[WHOLE_SECRET, yield* sortedText(document)]])
  const values = new Map<string, string>()
  for (const [key, value] of entriesOf(document)) values.set(key, typeof value === 'string' ? value : yield* sortedText(value))
  return values
}

interface Frame {
  readonly close: ']' | '}'
  readonly members: readonly (readonly [string, unknown])[]
  at: number
}

/** The estimated time to serialize a member of an object or array. */
const MEMBER_MICROSECONDS = 2
/** The estimated time to serialize a character. */
const CHARACTER_MICROSECONDS = 0.01

/** Returns JSON with all object members sorted by the bytes of their names, so that equal values give equal strings. */
function* sortedText(root: unknown): Steps<string> {
  const pace = new Pace()
  const open: Frame[] = []
  let text = ''
  let value: unknown = root
  for (;;) {
    if (typeof value === 'object' && value !== null) {
      const frame = frameOf(value)
      text += frame.close === ']' ? '[' : '{'
      open.push(frame)
    } else {
      const scalar = typeof value === 'bigint' ? value.toString() : JSON.stringify(value)
      text += scalar
      if (pace.spend(scalar.length * CHARACTER_MICROSECONDS)) yield
    }
    let frame = open.at(-1)
    for (; frame && frame.at === frame.members.length; frame = open.at(-1)) {
      text += frame.close
      open.pop()
    }
    if (!frame) return text
    const [name, next] = frame.members[frame.at] as readonly [string, unknown]
    if (frame.at++ > 0) text += ','
    if (frame.close === '}') text += `${JSON.stringify(name)}:`
    if (pace.spend(MEMBER_MICROSECONDS)) yield
    value = next
  }
}

function frameOf(value: object): Frame {
  if (Array.isArray(value)) return { close: ']', members: value.map((each) => ['', each] as const), at: 0 }
  // The Map drops duplicate names: if a name occurs twice, the last value is used, as in `JSON.parse`.
  const members = value instanceof WideObject ? [...new Map(value.entries())] : Object.entries(value)
  return { close: '}', members: members.sort(([a], [b]) => compareKeys(a, b)), at: 0 }
}
