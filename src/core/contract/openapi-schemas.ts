/** Converts fields to JSON schemas in the form of OpenAPI 3.0. */
import type { AnyField, Fields } from '../field/field.ts'
import type { AnyOperation } from './operation.ts'
import { REFERENCE, wireFields } from './wire-fields.ts'

/** A JSON object of an OpenAPI document. */
export type Json = Readonly<Record<string, unknown>>

/** A field's schema without its description, because OpenAPI puts the description of a parameter next to the schema. */
export function schemaOf({ schema, fallback }: AnyField): Json {
  const { type, format } = schema
  return {
    ...schema,
    ...(type === 'array' && !('items' in schema) ? { items: {} } : {}),
    ...(type === 'integer' && format === undefined ? { format: 'int64' } : {}),
    ...(isShowable(fallback) ? { default: fallback } : {}),
  }
}

/** Defaults that are bytes or objects are omitted, because they do not help the reader of a document. */
const isShowable = (value: unknown): boolean =>
  typeof value === 'boolean' || typeof value === 'number' || (typeof value === 'string' && value !== '')

const described = (field: AnyField): Json => ({
  ...schemaOf(field),
  description: field.description,
  ...(field.deprecated ? { deprecated: true } : {}),
})

function objectOf(fields: Fields, required: readonly string[] = []): Json {
  const properties = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, described(field)]))
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) }
}

/** The schema of a request body: all fields that are not in the path. Undefined if there are none. */
export function requestSchema(op: AnyOperation, captures: readonly string[]): Json | undefined {
  const whole = op.batch ? undefined : op.body
  if (whole !== undefined) return { type: 'object', additionalProperties: true, description: op.fields[whole].description }
  const fields = Object.fromEntries(Object.entries(wireFields(op)).filter(([name]) => !captures.includes(name)))
  const names = Object.keys(fields)
  if (names.length === 0) return undefined
  const schema = objectOf(
    fields,
    names.filter((name) => op.fields[name]?.required),
  )
  return op.batch ? withItems(schema, objectOf({ ...op.item, reference: REFERENCE }, op.itemNeeds)) : schema
}

function withItems(schema: Json, item: Json): Json {
  const properties = schema['properties'] as Readonly<Record<string, Json>>
  return { ...schema, properties: { ...properties, batch_input: { ...properties['batch_input'], items: item } } }
}

/**
 * The schema of a successful response. Undefined for an empty response (204). If the operation builds the response itself (`wire`), the
 * schema is an object with any members.
 */
export function responseSchema(op: AnyOperation): Json | undefined {
  if (!op.batch && op.wire) return { type: 'object' }
  const result = objectOf(op.returns)
  if (Object.keys(op.returns).length === 0) return undefined
  if (!op.batch) return envelopeOf(result)
  const item = {
    type: 'object',
    properties: { ...(result['properties'] as Json), error: { type: 'string' }, reference: { type: 'string' } },
  }
  const batch = { type: 'object', properties: { batch_results: { type: 'array', items: item } } }
  return envelopeOf({ oneOf: [result, batch] })
}

const envelopeOf = (data: Json): Json => ({
  type: 'object',
  properties: {
    request_id: { type: 'string' },
    lease_id: { type: 'string' },
    renewable: { type: 'boolean' },
    lease_duration: { type: 'integer', format: 'seconds' },
    data,
    wrap_info: { type: 'object', nullable: true },
    warnings: { type: 'array', nullable: true, items: { type: 'string' } },
    auth: { type: 'object', nullable: true },
    mount_type: { type: 'string' },
  },
})
