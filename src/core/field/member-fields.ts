/** Fields whose values are lists, maps or JSON. `fields.ts` documents each field type. */
import { toUtf8 } from '../base/bytes.ts'
import { invalid } from '../base/errors.ts'
import { documentSteps } from '../json/document.ts'
import { parseJsonNow } from '../json/json.ts'
import { freeDataText, freeDataTextSteps, isFreeDataTextSoon, jsonText, jsonTextSteps } from '../json/json-text.ts'
import { findNonJson, throwNonJson } from '../json/non-json.ts'
import {
  coerceMap,
  coerceObject,
  coercePairs,
  coerceTexts,
  MAX_FIELD_MEMBERS,
  pass,
  splitTexts,
  strictTexts,
  typedMap,
  typedObject,
  typedText,
  typedTexts,
} from './coercion.ts'
import { type Builder, buildField } from './field.ts'

export const listField = (description: string, most = MAX_FIELD_MEMBERS): Builder<readonly string[]> =>
  buildField({
    fromTyped: (value, name) => typedTexts(value, name, most),
    coerce: (raw, name) => (typeof raw === 'string' ? splitTexts(raw, name, most) : coerceTexts(raw, name, most)),
    decode: (value) => (value as readonly string[]).map((text) => text.trim()),
    description,
    schema: { type: 'array', items: { type: 'string' } },
  })

export const textsField = (description: string): Builder<readonly string[]> =>
  buildField({
    fromTyped: typedTexts,
    coerce: coerceTexts,
    decode: pass<readonly string[]>,
    description,
    schema: { type: 'array', items: { type: 'string' } },
  })

export const strictTextsField = (description: string): Builder<readonly string[]> =>
  buildField({ ...textsField(description), coerce: strictTexts, strict: strictTexts })

export const pairsField = (description: string): Builder<Readonly<Record<string, string>>> =>
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
  })

export const objectField = (description: string): Builder<Readonly<Record<string, unknown>>> =>
  buildField({
    fromTyped: (value, name) => carriedObject(typedMap(value, name), name),
    coerce: coerceMap,
    decode: pass<Readonly<Record<string, unknown>>>,
    description,
    schema: { type: 'object' },
  })

/**
 * The maximum number of generator steps for converting a value. The steps run without a pause, so a value that needs more steps is refused.
 * This number of steps takes about 10 ms, or processes about 10,000 values.
 */
const MAX_SYNC_STEPS = 4

/**
 * Returns an object that JSON can represent: each value with a `toJSON` method is replaced by the result of that method. @throws TypeError
 * if JSON cannot represent a value, KernelError 400 if the value is too large.
 */
function carriedObject(object: Readonly<Record<string, unknown>>, name: string): Readonly<Record<string, unknown>> {
  const found = findNonJson(object)
  if (found === 'none') return object
  if (found) throwNonJson(name, found.names, found.rule)
  const steps = freeDataTextSteps(object, name)
  for (let step = 0; step < MAX_SYNC_STEPS; step++) {
    const { done, value } = steps.next()
    if (done) return parseJsonNow(toUtf8(value as string)) as Readonly<Record<string, unknown>>
  }
  throw invalid(`${name}: is too large`)
}

export const textMapField = (description: string): Builder<Readonly<Record<string, unknown>>, Readonly<Record<string, string>>> =>
  objectField(description) as Builder<Readonly<Record<string, unknown>>, Readonly<Record<string, string>>>

export const documentField = (description: string): Builder<string, Readonly<Record<string, unknown>>> =>
  buildField({
    fromTyped: (value, name) => freeDataText(typedObject(value, name), name),
    coerce: coerceObject,
    decode: (value) => (typeof value === 'string' ? value : jsonText(value as object)),
    isLong: (value) => typeof value === 'object' && value !== null && !isFreeDataTextSoon(value),
    typedSteps: (value, name) => freeDataTextSteps(typedObject(value, name), name),
    decodeSteps: (value) => jsonTextSteps(value as object),
    sent: (text) => parseJsonNow(toUtf8(text)),
    sentSteps: documentSteps,
    description,
    schema: { type: 'object' },
  })

export const jsonField = <T>(description: string, schema: Readonly<Record<string, unknown>> = { type: 'object' }): Builder<T> =>
  buildField({ fromTyped: pass<T>, coerce: pass, decode: pass<T>, description, schema })
