/**
 * Typed calls of operations with a batch of items.
 */
import { invalid } from '../base/errors.ts'
import { Slices } from '../base/slices.ts'
import { segmentsOf } from '../contract/captures.ts'
import type { AnyBatch } from '../contract/operation.ts'
import { parseTyped, type TypedTable, typedTable, type Values } from '../field/parse.ts'
import type { BatchItems } from '../transaction/batch.ts'
import type { Outcome } from '../transaction/runner.ts'
import type { CallTarget } from './typed-access.ts'
import { parsedFor, replyTo, type TypedMethod } from './typed-call.ts'
import { batchForm } from './typed-form.ts'

/** Estimated cost of checking the members of one item of a batch. */
const READ_MICROSECONDS = 2

export function callBatch(operation: AnyBatch): TypedMethod {
  const table = typedTable(operation.fields, ['batch_input'])
  const segments = segmentsOf(operation)
  // Nobody would give back what is lent of an item.
  const itemTable = { ...typedTable(operation.item, ['reference']), lent: [] }
  const form = batchForm(operation)
  const items = async (args: Values, slices: Slices): Promise<BatchItems & { references: string[] }> => {
    const given = args['batch_input']
    if (!Array.isArray(given)) throw new TypeError('batch_input: must be an array')
    if (given.length === 0) throw invalid('batch_input: must hold at least one item')
    const parsed: (Values | Error)[] = []
    const references: string[] = []
    for (const item of given as readonly Values[]) {
      if (typeof item !== 'object' || item === null) throw new TypeError('batch_input: every item must be an object')
      references.push(referenceOf(item))
      parsed.push(parseItem(itemTable, item))
      if (slices.spend(READ_MICROSECONDS)) await slices.giveWay()
    }
    return { all: parsed, raw: given as readonly Values[], references }
  }
  return (binding, args, { signal }) => {
    const { access, clock } = binding
    const input = parsedFor(binding, operation, segments, table, args)
    // Begins at once, whatever the call waits for first: items are taken as they are now.
    const given = items(args, new Slices(clock, signal))
    given.catch(() => {})
    const run = async ({ mount, call }: CallTarget): Promise<Outcome<Values>> => {
      const { references, ...all } = await given
      const { value, warnings } = await mount.executor.batch(operation, input, all, call, signal)
      const batch_results = value.map((result, index) => withReference(result, references[index] as string))
      return { value: { batch_results }, warnings }
    }
    return replyTo(binding, operation, table, input, access.enter(form, { ...args, ...input }, run))
  }
}

/** Results are fresh objects without other holders; copying each would cost half as much as an encryption. */
function withReference(result: Values | Error, reference: string): Values {
  if (result instanceof Error) return { error: result, reference }
  ;(result as Record<string, unknown>)['reference'] = reference
  return result
}

/** A value outside its rule is the item's error; a wrong JavaScript type is the caller's and fails the call. */
function parseItem(table: TypedTable, item: Values): Values | Error {
  try {
    return parseTyped(table, item, 0)
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
