/** Members that are scalars. */
import { invalid } from '../../../core/base/errors.ts'
import { formatGoDuration, parseGoDuration } from '../../../core/base/go-duration.ts'
import { coerceBool, coerceInt, coerceText, wrongType } from '../../../core/field/coercion.ts'
import { boolShape, floatShape, intShape, textShape, uintShape } from '../../expression/index.ts'
import type { EntryMember, MemberRule } from './member.ts'
import { checkUnicode } from './unicode.ts'

const MAX_SHOWN_CHARACTERS = 100

/** A value in an error message. */
export const quotedValue = (value: string): string => JSON.stringify(value.slice(0, MAX_SHOWN_CHARACTERS))

interface CaseOption {
  /** The case to which the string is converted. Default: it is not converted. */
  readonly in?: 'lower case' | 'upper case'
}

export interface TextOptions extends CaseOption {
  readonly rule?: MemberRule<string>
}

const CASES = { 'lower case': (text: string) => text.toLowerCase(), 'upper case': (text: string) => text.toUpperCase() }

export function text({ in: letters, rule }: TextOptions = {}): EntryMember<string> {
  const change = letters && CASES[letters]
  return {
    read: (raw, path) => {
      const value = checkUnicode(coerceText(raw, path), path)
      return change ? change(value) : value
    },
    isEmpty: (value) => value === '',
    check: rule,
    shape: textShape,
  }
}

/** One of several words, or the empty string. */
export function word<const W extends string>(words: readonly W[], letters: CaseOption = {}): EntryMember<W> {
  return text({ ...letters, rule: (value, path) => checkWord(words, value, path) }) as unknown as EntryMember<W>
}

/** @throws KernelError 400 */
export function checkWord(words: readonly string[], value: string, path: string): void {
  if (!words.includes(value)) throw invalid(`${path}: must be one of ${words.join(', ')}, not ${quotedValue(value)}`)
}

export const bool = (): EntryMember<boolean> => ({ read: coerceBool, isEmpty: (value) => !value, shape: boolShape })

/** Converts -0 to 0, as storing it in JSON would. */
export const withoutNegativeZero = (number: number): number => number + 0

export interface NumberRange {
  readonly least?: number
  readonly most?: number
}

function inRange(range: NumberRange): MemberRule<number> {
  const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY } = range
  return (value, path) => {
    if (value < least) throw invalid(`${path}: must be at least ${least}`)
    if (value > most) throw invalid(`${path}: must be at most ${most}`)
  }
}

/** An integer; values beyond 2^53 are refused. */
export const int = (range: NumberRange = {}): EntryMember<number> => ({
  read: (raw, path) => withoutNegativeZero(coerceInt(raw, path)),
  isEmpty: (value) => value === 0,
  check: inRange(range),
  shape: intShape(),
})

export const uint32 = (range: NumberRange = {}): EntryMember<number> => ({
  ...int({ least: 0, most: 2 ** 32 - 1, ...range }),
  shape: uintShape(32),
})

const NUMBER = /^[+-]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][+-]?\d{1,3})?$/

/** A 32-bit float. The number in the request is stored without rounding it to 32 bits. */
export const float = (): EntryMember<number> => ({
  read: (raw, path) => {
    const number = typeof raw === 'string' && NUMBER.test(raw) ? Number(raw) : raw
    if (typeof number === 'number' && Number.isFinite(number)) return withoutNegativeZero(number)
    if (number === '' || number === false) return 0
    if (number === true) return 1
    throw wrongType(path, 'a number')
  },
  isEmpty: (value) => value === 0,
  shape: floatShape(32),
})

/** A duration, stored in Go's notation. The request contains a string with units, or nanoseconds. */
export const duration = ({ rule }: { readonly rule?: MemberRule<string> } = {}): EntryMember<string> => ({
  read: (raw, path) => formatGoDuration(parseGoDuration(raw, path)),
  isEmpty: (value) => value === '0s',
  check: rule,
  shape: textShape,
})

/** A duration stored in nanoseconds, as Consul's clients expect it. A bigint if it exceeds 2^53. */
export const nanoseconds = ({ rule }: { readonly rule?: MemberRule<number | bigint> } = {}): EntryMember<number | bigint> => ({
  read: (raw, path) => {
    const count = parseGoDuration(raw, path)
    return count >= Number.MIN_SAFE_INTEGER && count <= Number.MAX_SAFE_INTEGER ? Number(count) : count
  },
  isEmpty: (value) => value === 0,
  check: rule,
  shape: intShape(),
})

export const notNegative: MemberRule<string | number | bigint> = (value, path) => {
  if (typeof value === 'string' ? value.startsWith('-') : value < 0) throw invalid(`${path}: must not be negative`)
}
