/** All parameters that an operation has in calls by path. */
import type { AnyField, Fields } from '../field/field.ts'
import { f } from '../field/fields.ts'
import type { AnyOperation } from './operation.ts'

export const PARTIAL = 'partial_failure_response_code'
export const PARTIAL_STATUS = f.int('The HTTP status of the response if some of the items fail, but not all: 200 to 599.')

/** Copied from a batch item to its result. */
export const REFERENCE = f.text('Copied to the result of this item. Valid only inside batch_input.').optional()

/** Parameters that every batch operation has in calls by path. */
const BATCH_FIELDS: Fields = {
  batch_input: f.json('Items to process. If present, the parameters of a single call are ignored.', { type: 'array' }),
}
const COUNTED_FIELDS: Fields = { ...BATCH_FIELDS, reference: REFERENCE, [PARTIAL]: PARTIAL_STATUS.optional() }

const known = new WeakMap<AnyOperation, Fields>()

/** All fields by name, including the fields of batch items. */
export function wireFields(op: AnyOperation): Fields {
  if (!op.batch) return op.fields as Readonly<Record<string, AnyField>>
  const found = known.get(op)
  if (found) return found
  const fields = { ...op.fields, ...op.item, ...(op.failedItems === 'counted' ? COUNTED_FIELDS : BATCH_FIELDS) }
  known.set(op, fields)
  return fields
}
