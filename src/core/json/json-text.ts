/** Writes JSON values as text without losing digits. */
import { invalid, type KernelError } from '../base/errors.ts'
import { CHUNK, GrowingText, type TextSink } from '../base/growing-text.ts'
import { toUtf8Steps } from '../base/long-text.ts'
import { Pace, runToEnd, type Steps } from '../base/steps.ts'
import { isSmall } from './json-size.ts'
import { findNonJson, hasJsonForm, jsonFormOf, nonJsonRule, nonJsonTextRule, throwNonJson } from './non-json.ts'
import { entriesOf } from './wide-object.ts'

/** The maximum number of levels of nesting, the same as for request bodies. */
const MAX_LEVELS = 10_000

/** The estimated time per member and per character. */
const MEMBER_MICROSECONDS = 1

const CHARACTER_MICROSECONDS = 0.005

/**
 * Writes a value as JSON. Bigints are written as integers, and wide objects as ordinary objects. Undefined members are omitted. Use this
 * function only for values that are known to be small, and {@link jsonTextSteps} for all others.
 * @throws KernelError 400 for more than 10,000 levels of nesting. Circular values are refused for the same reason.
 */
export function jsonText(value: object): string {
  try {
    return JSON.stringify(value)
  } catch {
    // `JSON.stringify` fails for bigints, wide objects and deep nesting.
    return runToEnd(textSteps(value))
  }
}

/**
 * Returns the text of a small value immediately. For other values, returns a generator that computes the text and yields to the event loop.
 * The value must not change until the generator has ended.
 */
export const jsonTextSoon = (value: object): string | Steps<string> => (isSmall(value) ? jsonText(value) : jsonTextSteps(value))

/** Like {@link jsonText}, for values of any size. */
export function* jsonTextSteps(value: object): Steps<string> {
  return isSmall(value) ? jsonText(value) : yield* textSteps(value)
}

function* textSteps(value: object): Steps<string> {
  const out = new GrowingText()
  yield* writeJson(value, out)
  return out.end()
}

/**
 * Like {@link jsonText}, but with one line per value and `indent` spaces per level. The format is the same as that of
 * `JSON.stringify(value, null, indent)`, but no digits are lost.
 * @param onGrowth Called in the same way as in {@link jsonLineSoon}.
 * @returns Undefined if the text would have more than `most` characters.
 */
export function* indentedJsonSteps(
  value: object,
  indent: number,
  most: number,
  onGrowth: (characters: number) => void = () => {},
): Steps<string | undefined> {
  const out = new BoundedText(most, onGrowth)
  yield* writeJson(value, out, indent)
  return out.full ? undefined : out.end()
}

/**
 * Returns the text and a line break as UTF-8. For values that are not small, returns a generator that computes them.
 * @param onGrowth Called every few thousand characters with the number of new characters. If it throws, the generator throws the same
 * error.
 */
export const jsonLineSoon = (
  value: object,
  onGrowth: (characters: number) => void = () => {},
): Uint8Array<ArrayBuffer> | Steps<Uint8Array<ArrayBuffer>> =>
  isSmall(value) ? new TextEncoder().encode(`${jsonText(value)}\n`) : lineSteps(value, onGrowth)

function* lineSteps(value: object, onGrowth: (characters: number) => void): Steps<Uint8Array<ArrayBuffer>> {
  const out = new CountedText(onGrowth)
  yield* writeJson(value, out)
  return yield* toUtf8Steps(`${out.end()}\n`)
}

class CountedText extends GrowingText {
  readonly #onGrowth: (characters: number) => void
  #counted = 0

  constructor(onGrowth: (characters: number) => void) {
    super()
    this.#onGrowth = onGrowth
  }

  override push(part: string): void {
    super.push(part)
    const growth = this.length - this.#counted
    if (growth < CHUNK) return
    this.#counted = this.length
    this.#onGrowth(growth)
  }
}

class BoundedText extends CountedText {
  readonly #most: number

  constructor(most: number, onGrowth: (characters: number) => void) {
    super(onGrowth)
    this.#most = most
  }

  get full(): boolean {
    return this.length > this.#most
  }
}

/**
 * Returns the JSON text of data that an application passes.
 * @param name The name of the parameter for error messages.
 * @throws TypeError that names the position, if JSON cannot represent a value. KernelError 400 for more than 10,000 levels of nesting.
 */
export function freeDataText(value: object, name: string): string {
  const found = isSmall(value) ? findNonJson(value) : undefined
  if (found === 'none') return jsonText(value)
  if (found) throwNonJson(name, found.names, found.rule)
  return runToEnd(freeDataTextSteps(value, name))
}

/** Like {@link freeDataText}, for values of any size. The value must not change until the generator has ended. */
export function* freeDataTextSteps(value: object, name: string): Steps<string> {
  const out = new GrowingText()
  yield* writeJson(value, out, 0, name)
  return out.end()
}

/** Whether {@link freeDataText} can compute the text of this value in one step. */
export const isFreeDataTextSoon = (value: object): boolean => isSmall(value) && findNonJson(value) !== undefined

/** An object or array that has been written in part. */
interface OpenContainer {
  readonly source: object
  readonly close: string
  /** The name or index of the member that was written last. */
  at: string | number
  readonly members: Iterator<readonly [string, unknown]>
  empty: boolean
}

/**
 * Writes {@link jsonText} piece by piece. If the caller only hashes the pieces, the whole text is never in memory.
 * @param indent The number of spaces per level; 0 writes a single line.
 * @param given The name of the parameter, if the value comes from the application. A value that JSON cannot represent then causes a
 * TypeError.
 */
export function* writeJson(root: object, out: TextSink, indent = 0, given?: string): Steps<void> {
  const pace = new Pace()
  const open: OpenContainer[] = []
  let value: unknown = root
  for (;;) {
    if (given !== undefined) value = toJsonForm(value, given, open)
    if (typeof value === 'string' && value.length > CHUNK) yield* writeLong(value, out, pace)
    else if (typeof value !== 'object' || value === null || (given === undefined && hasJsonForm(value))) {
      const text = scalarText(value)
      if (pace.spend(text.length * CHARACTER_MICROSECONDS)) yield
      out.push(text)
    } else {
      if (open.length > MAX_LEVELS) throw tooDeep(given, open)
      out.push(Array.isArray(value) ? '[' : '{')
      open.push(
        Array.isArray(value)
          ? { source: value, close: ']', at: 0, members: items(value), empty: true }
          : { source: value, close: '}', at: '', members: entriesOf(value), empty: true },
      )
    }
    const next = nextValue(open, out, indent, given !== undefined)
    if (!next || out.full) return
    if (pace.spend(MEMBER_MICROSECONDS)) yield
    value = next.value
  }
}

/** Writes the punctuation before the next value, and returns that value. Undefined after the last value. */
function nextValue(
  open: OpenContainer[],
  out: TextSink,
  indent: number,
  keepsAll: boolean,
): { readonly value: unknown } | undefined {
  for (let frame = open.at(-1); frame; frame = open.at(-1)) {
    for (let next = frame.members.next(); !next.done; next = frame.members.next()) {
      const [name, value] = next.value
      const list = frame.close === ']'
      if (!list && !keepsAll && isLeftOut(value)) continue
      frame.at = list ? (frame.empty ? 0 : (frame.at as number) + 1) : name
      if (!frame.empty) out.push(',')
      frame.empty = false
      if (indent > 0) out.push(lineOf(open.length * indent))
      if (!list) out.push(`${JSON.stringify(name)}:${indent > 0 ? ' ' : ''}`)
      return { value }
    }
    open.pop()
    if (indent > 0 && !frame.empty) out.push(lineOf(open.length * indent))
    out.push(frame.close)
  }
  return undefined
}

const namesIn = (open: readonly OpenContainer[]): readonly (string | number)[] => open.map(({ at }) => at)

/** Returns the value, or the result of its method `toJSON`. */
function toJsonForm(value: unknown, given: string, open: readonly OpenContainer[]): unknown {
  const name = open.at(-1)?.at
  const rule = (typeof name === 'string' ? nonJsonTextRule(name) : undefined) ?? nonJsonRule(value)
  if (rule !== undefined) throwNonJson(given, namesIn(open), rule)
  if (typeof value !== 'object' || value === null || !hasJsonForm(value)) return value
  const { form, rule: formRule } = jsonFormOf(value)
  if (formRule !== undefined) throwNonJson(given, namesIn(open), formRule)
  return form
}

function tooDeep(given: string | undefined, open: readonly OpenContainer[]): KernelError {
  if (given !== undefined && new Set(open.map(({ source }) => source)).size < open.length) {
    const seen = new Set<object>()
    const repeated = open.findIndex(({ source }) => seen.size === seen.add(source).size)
    throwNonJson(given, namesIn(open.slice(0, repeated)), 'contains itself')
  }
  return invalid(`${given ?? 'data'}: is nested too deeply`)
}

const lineOf = (blanks: number): string => `\n${' '.repeat(blanks)}`

/** Writes a long string in parts. Never splits a surrogate pair, because `JSON.stringify` would write each half as an escape. */
function* writeLong(text: string, out: TextSink, pace: Pace): Steps<void> {
  out.push('"')
  for (let at = 0; at < text.length; ) {
    const end = at + CHUNK
    const unit = text.charCodeAt(end - 1)
    const next = unit >= 0xd800 && unit < 0xdc00 ? end - 1 : end
    out.push(JSON.stringify(text.slice(at, next)).slice(1, -1))
    at = next
    if (pace.spend(CHUNK * CHARACTER_MICROSECONDS)) yield
  }
  out.push('"')
}

const scalarText = (value: unknown): string => (typeof value === 'bigint' ? value.toString() : (JSON.stringify(value) ?? 'null'))

function* items(list: readonly unknown[]): Generator<readonly [string, unknown], void, void> {
  // Reads the length again after each element, because the application may change the array during a yield. Missing elements are undefined.
  for (let at = 0; at < list.length; at++) yield ['', list[at]]
}

const isLeftOut = (value: unknown): boolean => value === undefined || typeof value === 'function' || typeof value === 'symbol'
