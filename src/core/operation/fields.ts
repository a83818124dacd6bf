/**
 * The vocabulary of parameters. The weak decoding of the wire is the originals' (source: behaviour of the originals).
 * Room: core/operation. Imported by every engine to declare operations.
 */
import { decodeBase64, decodeBase64Steps, encodeBase64 } from '../base64.ts'
import { parseDuration } from '../duration.ts'
import { invalid, KernelError } from '../errors.ts'
import { toHex } from '../identifiers.ts'
import { jsonText } from '../json-text.ts'
import { memberOf, namesOf } from '../request/wide-object.ts'
import { type Builder, buildField } from './field.ts'

const NAME = /^\w(?:[\w.-]*\w)?$/

const typeError = (name: string, wanted: string): TypeError => new TypeError(`${name}: must be ${wanted}`)
const wrongType = (name: string, wanted: string): KernelError => invalid(`${name}: must be ${wanted}`)

/** Text, or a number or boolean as its text: what the wire takes for a string. */
export function coerceText(raw: unknown, name: string): string {
  if (typeof raw === 'string') return raw
  if (typeof raw === 'number' || typeof raw === 'bigint') return String(raw)
  if (typeof raw === 'boolean') return raw ? '1' : '0'
  throw wrongType(name, 'a string')
}

function strictText(raw: unknown, name: string): string {
  if (typeof raw === 'string') return raw
  throw wrongType(name, 'a string')
}

function typedText(value: unknown, name: string): string {
  if (typeof value === 'string') return value
  throw typeError(name, 'a string')
}

const TRUE = ['1', 't', 'T', 'true', 'TRUE', 'True']
const FALSE = ['', '0', 'f', 'F', 'false', 'FALSE', 'False']

/** The originals' words for true and false, and nothing else. */
export function coerceBool(raw: unknown, name: string): boolean {
  if (typeof raw === 'boolean') return raw
  const text = typeof raw === 'number' ? String(raw) : raw
  if (typeof text === 'string' && TRUE.includes(text)) return true
  if (typeof text === 'string' && FALSE.includes(text)) return false
  throw wrongType(name, 'a boolean')
}

function coerceInt(raw: unknown, name: string): number {
  if (typeof raw === 'boolean') return raw ? 1 : 0
  if (typeof raw === 'number' && Number.isSafeInteger(raw)) return raw
  if (raw === '') return 0
  if (typeof raw === 'string' && /^[+-]?\d{1,15}$/.test(raw)) return Number(raw)
  throw wrongType(name, 'a whole number')
}

function strictInt(raw: unknown, name: string): number {
  if (typeof raw === 'number' && Number.isSafeInteger(raw)) return raw
  throw wrongType(name, 'a whole number')
}

function typedInt(value: unknown, name: string): number {
  if (typeof value !== 'number') throw typeError(name, 'a number')
  if (!Number.isSafeInteger(value)) throw invalid(`${name}: must be a whole number`)
  return value
}

/** Whether a text keeps the grammar of names in paths. */
export const isName = (text: string): boolean => NAME.test(text)

function checkName(value: string, name: string): string {
  if (isName(value)) return value
  const rule = 'must be letters, digits, "_", "-" and ".", and begin and end with a letter, a digit or "_"'
  throw new KernelError('ERR_UNSUPPORTED_PATH', `${name}: ${rule}`)
}

function checkPeriod(value: string, name: string): string {
  if (!value.endsWith('.')) return value
  throw new KernelError('ERR_UNSUPPORTED_PATH', `${name}: must not end in a period`)
}

const pass = <T>(value: unknown): T => value as T

function coerceTexts(raw: unknown, name: string): readonly string[] {
  if (Array.isArray(raw)) return raw.map((item) => coerceText(item, name))
  if (typeof raw === 'object') throw wrongType(name, 'a list of strings')
  return [coerceText(raw, name)]
}

const splitTexts = (text: string): readonly string[] => (text === '' ? [] : text.split(','))

function typedTexts(value: unknown, name: string): readonly string[] {
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) throw typeError(name, 'an array of strings')
  return [...value]
}

function typedObject(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Readonly<Record<string, unknown>>
  throw typeError(name, 'an object')
}

function coercePairs(raw: unknown, name: string): Readonly<Record<string, string>> {
  if (typeof raw === 'object' && raw !== null && !Array.isArray(raw)) {
    return Object.fromEntries([...namesOf(raw)].map((member) => [member, coerceText(memberOf(raw, member), `${name}.${member}`)]))
  }
  const pairs = coerceTexts(raw, name).map((text) => {
    const at = text.indexOf('=')
    if (at < 0) throw wrongType(name, 'an object, or texts such as name=value')
    return [text.slice(0, at), text.slice(at + 1)] as const
  })
  return Object.fromEntries(pairs)
}

export const f = {
  /** A name in a path: letters, digits, `_`, `-`, `.`; the first and the last a letter, a digit or `_`. Anything else is 404. */
  name: (description: string): Builder<string> =>
    buildField({
      fromTyped: (value, name) => checkName(typedText(value, name), name),
      coerce: coerceText,
      decode: (value, name) => checkName(value as string, name),
      description,
      schema: { type: 'string', pattern: NAME.source },
    }),

  /** A name of any characters that does not end in a period (spec document 1): of policies, mounts, namespaces. Else 404. */
  freeName: (description: string): Builder<string> =>
    buildField({
      fromTyped: (value, name) => checkPeriod(typedText(value, name), name),
      coerce: coerceText,
      decode: (value, name) => checkPeriod(value as string, name),
      description,
      schema: { type: 'string' },
    }),

  text: (description: string): Builder<string> =>
    buildField({
      fromTyped: typedText,
      coerce: coerceText,
      strict: strictText,
      decode: pass<string>,
      description,
      schema: { type: 'string' },
    }),

  /** `Uint8Array` in the typed API, base64 on the wire. */
  bytes: (description: string): Builder<Uint8Array> =>
    buildField({
      fromTyped: (value, name) => {
        if (value instanceof Uint8Array) return value
        throw typeError(name, 'a Uint8Array')
      },
      coerce: coerceText,
      strict: strictText,
      decode: (given, name) => (given instanceof Uint8Array ? given : decodeBase64(given as string, name)),
      decodeSteps: decodeBase64Steps,
      encode: encodeBase64,
      description,
      schema: { type: 'string', format: 'byte' },
    }),

  /** Results only: `Uint8Array` in the typed API; on the wire base64, or hex where the request's `format` says so. */
  formattedBytes: (description: string): Builder<Uint8Array> =>
    buildField({
      ...f.bytes(description),
      encode: (value, { format }) => (format === 'hex' ? toHex(value) : encodeBase64(value)),
      schema: { type: 'string' },
    }),

  bool: (description: string): Builder<boolean> =>
    buildField({
      fromTyped: (value, name) => {
        if (typeof value === 'boolean') return value
        throw typeError(name, 'a boolean')
      },
      coerce: coerceBool,
      decode: pass<boolean>,
      description,
      schema: { type: 'boolean' },
    }),

  int: (description: string): Builder<number> =>
    buildField({
      fromTyped: typedInt,
      coerce: coerceInt,
      strict: strictInt,
      decode: pass<number>,
      description,
      schema: { type: 'integer' },
    }),

  /** A whole number that is not taken from text on the wire either. */
  strictInt: (description: string): Builder<number> =>
    buildField({ fromTyped: typedInt, coerce: strictInt, decode: pass<number>, description, schema: { type: 'integer' } }),

  /** Whole seconds; on both views a number of seconds or text such as `1h30m` or `30d`. */
  duration: (description: string): Builder<number, number | string> =>
    buildField({
      fromTyped: (value, name) => {
        if (typeof value === 'number' || typeof value === 'string') return parseDuration(value, name)
        throw typeError(name, 'a number of seconds or a string such as "1h30m"')
      },
      coerce: (raw, name) => {
        if (typeof raw === 'number' || typeof raw === 'string') return raw
        throw wrongType(name, 'a number of seconds or a string such as "1h30m"')
      },
      decode: (value, name) => parseDuration(value as number | string, name),
      description,
      schema: { type: 'integer', format: 'seconds' },
    }),

  /** One of a fixed list of words, exactly as written there. */
  oneOf: <T extends string>(words: readonly T[], description: string): Builder<T> => {
    const check = (value: string, name: string): T => {
      if ((words as readonly string[]).includes(value)) return value as T
      throw invalid(`${name}: must be one of ${words.join(', ')}`)
    }
    return buildField({
      fromTyped: (value, name) => check(typedText(value, name), name),
      coerce: coerceText,
      strict: strictText,
      decode: (value, name) => check(value as string, name),
      description,
      schema: { type: 'string', enum: words },
    })
  },

  /** A word or a whole number, told apart by the operation. */
  wordOrInt: (description: string): Builder<string, string | number> =>
    buildField({
      fromTyped: (value, name) => (typeof value === 'number' ? String(typedInt(value, name)) : typedText(value, name)),
      coerce: coerceText,
      decode: pass<string>,
      description,
      schema: { type: 'string' },
    }),

  /** Texts; on the wire a list of scalars, or one text split at its commas. Spaces around each go; an empty text is an empty list. */
  list: (description: string): Builder<readonly string[]> =>
    buildField({
      fromTyped: typedTexts,
      coerce: (raw, name) => (typeof raw === 'string' ? splitTexts(raw) : coerceTexts(raw, name)),
      decode: (value) => (value as readonly string[]).map((text) => text.trim()),
      description,
      schema: { type: 'array', items: { type: 'string' } },
    }),

  /** Texts; on the wire a list of scalars, or one text that is the only element, commas and all. */
  texts: (description: string): Builder<readonly string[]> =>
    buildField({
      fromTyped: typedTexts,
      coerce: coerceTexts,
      decode: pass<readonly string[]>,
      description,
      schema: { type: 'array', items: { type: 'string' } },
    }),

  /** Names with texts; on the wire also a text or a list of texts `name=value`. */
  pairs: (description: string): Builder<Readonly<Record<string, string>>> =>
    buildField({
      fromTyped: (value, name) => {
        const pairs = typedObject(value, name)
        for (const member in pairs) typedText(pairs[member], `${name}.${member}`)
        return pairs as Readonly<Record<string, string>>
      },
      coerce: coercePairs,
      decode: pass<Readonly<Record<string, string>>>,
      description,
      schema: { type: 'object', additionalProperties: { type: 'string' } },
    }),

  /** An object with members of any kind. Read it with `memberOf` and `namesOf`: a very large one is no plain object. */
  object: (description: string): Builder<Readonly<Record<string, unknown>>> =>
    buildField({
      fromTyped: typedObject,
      coerce: (raw, name) => {
        if (typeof raw === 'object' && raw !== null && !Array.isArray(raw)) return raw
        throw wrongType(name, 'an object')
      },
      decode: pass<Readonly<Record<string, unknown>>>,
      description,
      schema: { type: 'object' },
    }),

  /** A JSON object, kept as its text, every digit of it. What was passed may change as soon as the call has returned. */
  document: (description: string): Builder<string, Readonly<Record<string, unknown>>> =>
    buildField({
      fromTyped: (value, name) => jsonText(typedObject(value, name)),
      coerce: (raw, name) => {
        if (typeof raw === 'object' && raw !== null && !Array.isArray(raw)) return raw
        throw wrongType(name, 'an object')
      },
      decode: (value) => jsonText(value as object),
      description,
      schema: { type: 'object' },
    }),

  /** A duration that the operation itself reads, with `parseDuration`, after it has judged who asks. */
  lateDuration: (description: string): Builder<number | string> =>
    buildField({
      fromTyped: (value, name) => {
        if (typeof value === 'number' || typeof value === 'string') return value
        throw typeError(name, 'a number of seconds or a string such as "1h30m"')
      },
      coerce: (raw, name) => {
        if (typeof raw === 'number' || typeof raw === 'string') return raw
        throw wrongType(name, 'a number of seconds or a string such as "1h30m"')
      },
      decode: pass<number | string>,
      description,
      schema: { type: 'integer', format: 'seconds' },
    }),

  /** Results only: an object or list that both views show as it is. */
  json: <T>(description: string, schema: Readonly<Record<string, unknown>> = { type: 'object' }): Builder<T> =>
    buildField({ fromTyped: pass<T>, coerce: pass, decode: pass<T>, description, schema }),
}
