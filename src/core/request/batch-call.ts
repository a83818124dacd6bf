/** Typed calls of batch operations, if they are called with a list of items. */
import { invalid } from '../base/errors.ts'
import { Slices } from '../base/slices.ts'
import { segmentsOf } from '../contract/captures.ts'
import type { AnyBatch } from '../contract/operation.ts'
import { BatchCopies } from '../field/batch-copies.ts'
import { parseTyped, type TypedTable, typedTable, type Values } from '../field/parse.ts'
import type { BatchItems } from '../transaction/batch.ts'
import type { OperationOutcome } from '../transaction/runner.ts'
import type { CallTarget } from './typed-access.ts'
import { parsedFor, replyTo, type TypedMethod } from './typed-call.ts'
import { batchForm } from './typed-form.ts'

/** The estimated time to check the members of an item. */
const READ_MICROSECONDS = 2

export function callBatch(operation: AnyBatch): TypedMethod {
  const table = typedTable(operation.fields, ['batch_input'])
  const segments = segmentsOf(operation)
  // Do not read items into pooled buffers: only the pooled buffers of the call's own arguments are released after the call.
  const itemTable = { ...typedTable(operation.item, ['reference']), lent: [] }
  const form = batchForm(operation)
  const items = async (args: Values, slices: Slices): Promise<BatchItems & { references: string[] }> => {
    const given = args['batch_input']
    if (!Array.isArray(given)) throw new TypeError('batch_input: must be an array')
    if (given.length === 0) throw invalid('batch_input: must contain at least one item')
    const parsed: (Values | Error)[] = []
    const references: string[] = []
    const { copy } = new BatchCopies()
    for (const item of given as readonly Values[]) {
      if (typeof item !== 'object' || item === null) throw new TypeError('batch_input: every item must be an object')
      references.push(referenceOf(item))
      parsed.push(parseItem(itemTable, item, copy))
      if (slices.spend(READ_MICROSECONDS)) await slices.giveWay()
    }
    return { all: parsed, raw: given as readonly Values[], references }
  }
  return (binding, args, { signal }) => {
    const { access, clock } = binding
    const input = parsedFor(binding, operation, segments, table, args)
    // Begin to parse the items now, before anything else that the call waits for. So the call uses the items as they were when the method
    // was called.
    const given = items(args, new Slices(clock, signal))
    given.catch(() => {})
    const run = async ({ mount, call }: CallTarget): Promise<OperationOutcome<Values>> => {
      const { references, ...all } = await given
      const { value, warnings } = await mount.executor.batch(operation, input, all, call, signal)
      const batch_results = value.map((result, index) => withReference(result, references[index] as string))
      return { value: { batch_results }, warnings }
    }
    return replyTo(binding, operation, table, input, access.enter(form, { ...args, ...input }, run))
  }
}

/**
 * Adds the reference to a result without copying the result. Nothing else refers to the result, and copying it would take half as long as
 * an encryption.
 */
function withReference(result: Values | Error, reference: string): Values {
  if (result instanceof Error) return { error: result, reference }
  ;(result as Record<string, unknown>)['reference'] = reference
  return result
}

/**
 * Parses an item. Returns the error if a value is invalid, so that only this item fails. @throws TypeError for a value of a wrong
 * JavaScript type, so that the whole call fails.
 */
function parseItem(table: TypedTable, item: Values, copy: BatchCopies['copy']): Values | Error {
  try {
    return parseTyped(table, item, 0, copy)
  } catch (error) {
    if (error instanceof TypeError || !(error instanceof Error)) throw error
    return error
  }
}

function referenceOf(item: Values): string {
  const reference = item['reference'] ?? ''
  if (typeof reference !== 'string') throw new TypeError('reference: must be a string')
  return reference
}
