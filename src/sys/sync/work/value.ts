/** The pushed form of a secret: one string for the entire secret, or one for each key. */
import { Pace, type Steps } from '../../../core/base/steps.ts'
import { texts } from '../../../core/base/texts.ts'
import type { Document } from '../../../core/json/document.ts'
import { entriesOf, WideObject } from '../../../core/json/wide-object.ts'
import { compareKeys } from '../../../core/storage/order.ts'
import type { SyncGranularity, SyncRules } from '../port.ts'

/** The key of a row for the secret as a whole. */
export const WHOLE_SECRET = ''

/** The maximum number of keys in a secret whose keys are pushed separately. */
export const MAX_SECRET_KEYS = 250

/** The maximum number of characters in a secret whose keys are pushed separately. */
const MAX_SECRET_CHARACTERS = 1_048_576

/** Returns the size rule that a secret violates. It is decided by the length of the secret before parsing it. */
export function sizeRuleBroken(text: string, granularity: SyncGranularity, { maxValueBytes }: SyncRules): string | undefined {
  if (granularity === 'secret-key')
    return text.length > MAX_SECRET_CHARACTERS
      ? `its keys and values are more than ${MAX_SECRET_CHARACTERS} characters`
      : undefined
  // Sorting the keys does not change the length.
  const isTooLong = text.length > maxValueBytes || texts.byteLength(text) > maxValueBytes
  return isTooLong ? `it is more than the ${maxValueBytes} bytes that the store keeps` : undefined
}

/** The values by key. Strings are pushed unchanged, other values as JSON. */
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

/** Estimated costs: of a member, and of a character. */
const MEMBER_MICROSECONDS = 2
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
  // If a name occurs twice, the last value is used.
  const members = value instanceof WideObject ? [...new Map(value.entries())] : Object.entries(value)
  return { close: '}', members: members.sort(([a], [b]) => compareKeys(a, b)), at: 0 }
}
