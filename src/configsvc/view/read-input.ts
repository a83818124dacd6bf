/** Reads the parameters of a request from its path, query and body. */
import { invalid, KernelError } from '../../core/base/errors.ts'
import type { AnyField } from '../../core/field/field.ts'
import { fieldList, type Values } from '../../core/field/parse.ts'
import { RecordFieldShape } from '../../core/field/record-field.ts'
import type { AnyConfigOperation } from '../operation.ts'

const shapes = new WeakMap<AnyConfigOperation, RecordFieldShape>()

function shapeOf(op: AnyConfigOperation): RecordFieldShape {
  const known = shapes.get(op)
  if (known) return known
  const shape = new RecordFieldShape(op.body, { ignores: op.repeats })
  shapes.set(op, shape)
  return shape
}

/**
 * @param body The parsed JSON; undefined if absent.
 * @throws KernelError 400 for wrong types or values, for unknown members, and if path and body differ.
 */
export function readConfigInput(
  op: AnyConfigOperation,
  captures: Readonly<Record<string, string>>,
  query: Values,
  body: unknown,
): Values {
  const input = readParameters(op, captures, query)
  if (op.whole !== undefined) return { ...input, ...readWhole(op, op.whole, body) }
  const members = readBody(op, body)
  for (const name of Object.keys(captures)) {
    const sent = members[name]
    if (sent !== undefined && sent !== '' && sent !== captures[name])
      throw invalid(`${op.thing} ${name} in URL and payload do not match`)
  }
  return { ...members, ...input }
}

/** Unknown query parameters are ignored, because clients send parameters of their own. */
function readParameters(op: AnyConfigOperation, captures: Readonly<Record<string, string>>, query: Values): Values {
  const values: Record<string, unknown> = {}
  for (const [name, field] of fieldList(op.fields)) {
    const raw: unknown = captures[name] ?? [query[name]].flat()[0]
    if (raw !== undefined) values[name] = field.decode(field.coerce(raw, name), name)
    else if (field.required) throw invalid(`${name}: is required`)
    else if (field.fallback !== undefined) values[name] = field.fallback
  }
  return values
}

function readBody(op: AnyConfigOperation, body: unknown): Values {
  const shape = shapeOf(op)
  return decoding(op, () => shape.decode(shape.coerce(body ?? {}, ''), ''))
}

function readWhole(op: AnyConfigOperation, member: string, body: unknown): Values {
  const field = op.body[member] as AnyField
  // The whole body is the value of `member`. The other members of `op.body` exist only for typed calls, so use their defaults.
  const fallbacks = fieldList(op.body).flatMap(([name, { fallback }]) => (fallback === undefined ? [] : [[name, fallback]]))
  const values: Values = Object.fromEntries(fallbacks)
  if (body !== undefined && body !== null)
    return decoding(op, () => ({ ...values, [member]: field.decode(field.strict(body, 'body'), 'body') }))
  if (field.required) throw badBody(op, 'body: is required')
  return values
}

function decoding<T>(op: AnyConfigOperation, decode: () => T): T {
  try {
    return decode()
  } catch (error) {
    throw error instanceof KernelError && error.code === 'ERR_INVALID_REQUEST' ? badBody(op, error.message) : error
  }
}

export const badBody = ({ thing }: AnyConfigOperation, why: string): KernelError => invalid(`${thing} decoding failed: ${why}`)
