/**
 * The types of parameters.
 */
import { decodeBase64, decodeBase64Steps, encodeBase64, LONG_BASE64 } from '../base/base64.ts'
import { plainBytes, toUtf8 } from '../base/bytes.ts'
import { parseDuration } from '../base/duration.ts'
import { invalid } from '../base/errors.ts'
import { toHex } from '../base/identifiers.ts'
import { checkShare, readShare } from '../crypto/shamir/shares.ts'
import { documentSteps } from '../json/document.ts'
import { parseJsonNow } from '../json/json.ts'
import { isSmall } from '../json/json-size.ts'
import { jsonText, jsonTextSteps } from '../json/json-text.ts'
import {
  checkName,
  checkPeriod,
  coerceBool,
  coerceDuration,
  coerceInt,
  coerceMap,
  coerceObject,
  coercePairs,
  coerceText,
  coerceTexts,
  GO_DURATION,
  MOST_MEMBERS,
  NAME,
  pass,
  splitTexts,
  strictBool,
  strictInt,
  strictText,
  strictTexts,
  typedDuration,
  typedInt,
  typedMap,
  typedObject,
  typedText,
  typedTexts,
  typeError,
} from './coercion.ts'
import { type Builder, buildField } from './field.ts'
import { checkFreePath } from './free-path.ts'
import { record, records } from './record-field.ts'

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

  /** A path of any characters, as a request can carry it: no segment is empty, `.` or `..`. A trailing slash is allowed. */
  path: (description: string): Builder<string> =>
    buildField({
      fromTyped: (value, name) => checkFreePath(typedText(value, name), name),
      coerce: coerceText,
      decode: (value, name) => checkFreePath(value as string, name),
      description,
      schema: { type: 'string' },
    }),

  /** A path that does not end in a period (spec document 1): the name of a policy, mount, namespace. Otherwise 404. */
  freeName: (description: string): Builder<string> =>
    buildField({
      fromTyped: (value, name) => checkPeriod(checkFreePath(typedText(value, name), name), name),
      coerce: coerceText,
      decode: (value, name) => checkPeriod(checkFreePath(value as string, name), name),
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
        if (value instanceof Uint8Array) return plainBytes(value)
        throw typeError(name, 'a Uint8Array')
      },
      coerce: coerceText,
      strict: strictText,
      decode: (given, name) => (given instanceof Uint8Array ? given : decodeBase64(given as string, name)),
      isLong: (given) => typeof given === 'string' && given.length > LONG_BASE64,
      decodeSteps: (text, name) => decodeBase64Steps(text as string, name),
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

  /** Text that is not coerced from a number on the wire. */
  strictText: (description: string): Builder<string> =>
    buildField({ fromTyped: typedText, coerce: strictText, decode: pass<string>, description, schema: { type: 'string' } }),

  /** A share of a key, as people hold it: hexadecimal or base64; in the typed API also as bytes. */
  share: (description: string): Builder<Uint8Array, Uint8Array | string> =>
    buildField({
      fromTyped: (value, name) => {
        if (value instanceof Uint8Array) return checkShare(plainBytes(value).slice())
        return readShare(typedText(value, name))
      },
      coerce: strictText,
      decode: (value, name) => {
        if (value === '') throw invalid(`${name}: must be specified in the request body`)
        return readShare(value as string)
      },
      description,
      schema: { type: 'string' },
    }),

  /** True or false, and no words for them. */
  strictBool: (description: string): Builder<boolean> =>
    buildField({ ...f.bool(description), coerce: strictBool, strict: strictBool }),

  /** A list of texts, without coercion from other types. */
  strictTexts: (description: string): Builder<readonly string[]> =>
    buildField({ ...f.texts(description), coerce: strictTexts, strict: strictTexts }),

  /** A whole number that is not coerced from text on the wire either. */
  strictInt: (description: string): Builder<number> =>
    buildField({ fromTyped: typedInt, coerce: strictInt, decode: pass<number>, description, schema: { type: 'integer' } }),

  /** Whole seconds; on both views a number of seconds or text such as `1h30m` or `30d`. */
  duration: (description: string): Builder<number, number | string> =>
    buildField({
      fromTyped: (value, name) => parseDuration(typedDuration(value, name), name),
      coerce: coerceDuration,
      decode: (value, name) => parseDuration(value as number | string, name),
      description,
      schema: { type: 'integer', format: 'seconds' },
    }),

  /** One of a fixed list of words, exactly as written there. */
  oneOf: <const T extends string>(words: readonly T[], description: string): Builder<T> => {
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

  /** Text for which a caller of the typed API passes one of `T`. The operation decides which texts are valid. */
  word: <T extends string>(description: string): Builder<string, T> => f.text(description) as Builder<string, T>,

  /** One of the words `T` or a whole number; the operation tells them apart. */
  wordOrInt: <T extends string>(description: string): Builder<string, T | number | `${number}`> =>
    buildField({
      fromTyped: (value, name) => (typeof value === 'number' ? String(typedInt(value, name)) : typedText(value, name)),
      coerce: coerceText,
      decode: pass<string>,
      description,
      schema: { type: 'string' },
    }),

  /**
   * Texts; on the wire a list of scalars, or one text split at its commas. Spaces around each are removed; an empty text is an
   * empty list.
   * @param most How many are accepted; they are counted before any is read.
   */
  list: (description: string, most = MOST_MEMBERS): Builder<readonly string[]> =>
    buildField({
      fromTyped: (value, name) => typedTexts(value, name, most),
      coerce: (raw, name) => (typeof raw === 'string' ? splitTexts(raw, name, most) : coerceTexts(raw, name, most)),
      decode: (value) => (value as readonly string[]).map((text) => text.trim()),
      description,
      schema: { type: 'array', items: { type: 'string' } },
    }),

  /** Texts, at most 10,000; on the wire a list of scalars, or one text as the only element, even with commas. */
  texts: (description: string): Builder<readonly string[]> =>
    buildField({
      fromTyped: typedTexts,
      coerce: coerceTexts,
      decode: pass<readonly string[]>,
      description,
      schema: { type: 'array', items: { type: 'string' } },
    }),

  /** Names, at most 10,000, with texts; on the wire also a text or a list of texts `name=value`. */
  pairs: (description: string): Builder<Readonly<Record<string, string>>> =>
    buildField({
      fromTyped: (value, name) => {
        const pairs = typedMap(value, name)
        for (const member in pairs) typedText(pairs[member], `${name}.${member}`)
        return pairs as Readonly<Record<string, string>>
      },
      coerce: coercePairs,
      decode: pass<Readonly<Record<string, string>>>,
      description,
      schema: { type: 'object', additionalProperties: { type: 'string' } },
    }),

  /** Names with texts, as an object. That they are texts the operation looks at itself. */
  textMap: (description: string): Builder<Readonly<Record<string, unknown>>, Readonly<Record<string, string>>> =>
    f.object(description) as Builder<Readonly<Record<string, unknown>>, Readonly<Record<string, string>>>,

  /** An object with at most 10,000 members of any type. Read it with `memberOf` and `namesOf`: a very large one is no plain object. */
  object: (description: string): Builder<Readonly<Record<string, unknown>>> =>
    buildField({
      fromTyped: typedMap,
      coerce: coerceMap,
      decode: pass<Readonly<Record<string, unknown>>>,
      description,
      schema: { type: 'object' },
    }),

  /**
   * A JSON object, kept as its text, with every digit. The caller may change the value as soon as the call has returned; a large one
   * must not change until the answer is there.
   */
  document: (description: string): Builder<string, Readonly<Record<string, unknown>>> =>
    buildField({
      fromTyped: (value, name) => jsonText(typedObject(value, name)),
      coerce: coerceObject,
      decode: (value) => (typeof value === 'string' ? value : jsonText(value as object)),
      isLong: (value) => typeof value === 'object' && !isSmall(value),
      typedSteps: (value, name) => jsonTextSteps(typedObject(value, name)),
      decodeSteps: (value) => jsonTextSteps(value as object),
      sent: (text) => parseJsonNow(toUtf8(text)),
      sentSteps: documentSteps,
      description,
      schema: { type: 'object' },
    }),

  /** A duration that the operation itself parses, with `parseDuration`, after judging the caller. */
  lateDuration: (description: string): Builder<number | string> =>
    buildField({
      fromTyped: typedDuration,
      coerce: coerceDuration,
      decode: pass<number | string>,
      description,
      schema: { type: 'integer', format: 'seconds' },
    }),

  /** A duration of Go, as text or in nanoseconds, that the operation itself parses. */
  goDuration: (description: string): Builder<number | string> =>
    buildField({
      fromTyped: (value, name) => typedDuration(value, name, GO_DURATION),
      coerce: (raw, name) => coerceDuration(raw, name, GO_DURATION),
      decode: pass<number | string>,
      description,
      schema: { type: ['string', 'integer'], format: 'go-duration' },
    }),

  record,

  records,

  /** Results only: an object or list that both views show as it is. */
  json: <T>(description: string, schema: Readonly<Record<string, unknown>> = { type: 'object' }): Builder<T> =>
    buildField({ fromTyped: pass<T>, coerce: pass, decode: pass<T>, description, schema }),
}
