/** One operation in an OpenAPI document. */
import { type Json, requestSchema, responseSchema, schemaOf } from './openapi-schemas.ts'
import type { AnyOperation, Verb } from './operation.ts'
import type { ShownPath } from './path-templates.ts'
import { wireFields } from './wire-fields.ts'

/** The HTTP method of a verb. LIST is a GET with the query parameter `list`. */
export const HTTP_METHODS: Readonly<Record<Verb, string>> = {
  GET: 'get',
  LIST: 'get',
  POST: 'post',
  PUT: 'put',
  PATCH: 'patch',
  DELETE: 'delete',
  HEAD: 'head',
}

const PATCH_TYPE = 'application/merge-patch+json'

/** Stores a schema under a name in the document. @returns A reference to the stored schema. */
export type KeepSchema = (suffix: 'Request' | 'Response', op: AnyOperation, shown: ShownPath, schema: Json) => Json

export const pathParameters = (op: AnyOperation, { captures }: ShownPath): readonly Json[] =>
  captures.map((name) => {
    const { default: _, ...schema } = schemaOf(op.fields[name])
    return { name, in: 'path', required: true, description: op.fields[name].description, schema }
  })

/**
 * Describes the query parameter `list`. @param required False if the path can be read or listed, because without `list` the request is then
 * a read.
 */
export function listFlag(required: boolean): Json {
  const schema = { type: 'string', enum: ['true'] }
  return { name: 'list', in: 'query', required, description: 'Lists the names below the path, as the verb LIST does.', schema }
}

export function operationObject(op: AnyOperation, shown: ShownPath, id: string, tag: string, keep: KeepSchema): Json {
  const responses = responsesOf(op, shown, keep)
  const base = {
    operationId: id,
    summary: op.summary,
    tags: [tag],
    ...(op.unauthenticated ? { security: [] } : {}),
  }
  if (op.verb === 'POST' || op.verb === 'PATCH') return { ...base, ...bodyOf(op, shown, keep), responses }
  const asked = Object.entries(wireFields(op)).filter(([name]) => !shown.captures.includes(name))
  const query = asked.map(([name, field]) => ({
    name,
    in: 'query',
    required: field.required,
    description: field.description,
    ...(field.deprecated ? { deprecated: true } : {}),
    schema: schemaOf(field),
  }))
  const parameters = op.verb === 'LIST' ? [listFlag(true), ...query] : query
  return { ...base, ...(parameters.length > 0 ? { parameters } : {}), responses }
}

function bodyOf(op: AnyOperation, shown: ShownPath, keep: KeepSchema): Json {
  const schema = requestSchema(op, shown.captures)
  if (!schema) return {}
  const type = op.verb === 'PATCH' ? PATCH_TYPE : 'application/json'
  const required = 'required' in schema || (!op.batch && op.body !== undefined)
  return { requestBody: { required, content: { [type]: { schema: keep('Request', op, shown, schema) } } } }
}

function responsesOf(op: AnyOperation, shown: ShownPath, keep: KeepSchema): Json {
  const schema = responseSchema(op)
  const content = { 'application/json': { schema: schema && keep('Response', op, shown, schema) } }
  return {
    ...(schema ? { 200: { description: 'OK', content } } : { 204: { description: 'empty body' } }),
    default: { $ref: '#/components/responses/Refusal' },
  }
}
