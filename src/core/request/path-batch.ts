/** Batches in calls by path: reads the items, writes results and errors, and chooses the status, as in Vault. */
import { invalid, KernelError } from '../base/errors.ts'
import { type Slices, weigh } from '../base/slices.ts'
import type { AnyBatch } from '../contract/operation.ts'
import { coerceText } from '../field/coercion.ts'
import { coerceAll, decodeAll, decodeLong, type Values } from '../field/parse.ts'
import { memberNames, memberOf } from '../json/wide-object.ts'
import type { BatchItems } from '../transaction/batch.ts'

/** The estimated time to check the members of an item and copy their contents. */
const READ_MICROSECONDS = 3

export interface WireItems extends BatchItems {
  readonly references: readonly string[]
}

/**
 * Parses the items of a batch. An invalid value fails only its item.
 * @throws KernelError 400 if `batch_input` is not a list of objects or is empty, if a member has a wrong JSON type, or if a required member
 * is missing.
 */
export async function readItems(op: AnyBatch, given: unknown, slices: Slices): Promise<WireItems> {
  if (!Array.isArray(given)) throw invalid('batch_input: must be a list of objects')
  if (given.length === 0) throw invalid('batch_input: must contain at least one item')
  const all: (Values | Error)[] = []
  const raw: Values[] = []
  const references: string[] = []
  for (let index = 0; index < given.length; index++) {
    const item = itemObject(op, given[index], index)
    const coerced = named(index, () => coerceAll(op.item, item, op.itemTypes === 'strict'))
    for (const member of op.itemNeeds) {
      if (!Object.hasOwn(coerced, member)) throw invalid(`batch_input[${index}].${member}: is required`)
    }
    references.push(named(index, () => readReference(op, item)))
    raw.push(coerced)
    const decoded = decodeItem(op, coerced, slices)
    all.push(decoded instanceof Promise ? await decoded : decoded)
    if (slices.spend(READ_MICROSECONDS + weigh(coerced))) await slices.giveWay()
  }
  return { all, raw, references }
}

function itemObject(op: AnyBatch, item: unknown, index: number): Values {
  if (item === null && op.itemTypes !== 'strict') return {}
  if (typeof item !== 'object' || item === null || Array.isArray(item)) throw invalid(`batch_input[${index}]: must be an object`)
  if (op.itemTypes === 'texts') checkTexts(item as Values, index)
  return item as Values
}

/**
 * Checks that no member is a boolean, an array or an object, even if the member is unknown. Numbers are accepted, because they are
 * converted to strings.
 */
function checkTexts(item: Values, index: number): void {
  for (const name of memberNames(item)) {
    const value = memberOf(item, name)
    if (typeof value === 'boolean' || (typeof value === 'object' && value !== null))
      throw invalid(`batch_input[${index}]: members must be strings`)
  }
}

function readReference(op: AnyBatch, item: Values): string {
  const reference = memberOf(item, 'reference')
  if (reference === undefined || reference === null) return ''
  if (typeof reference !== 'string' && op.itemTypes === 'strict') throw invalid('reference: must be a string')
  return coerceText(reference, 'reference')
}

/** Decodes an item. Returns a promise only if the item is long. */
function decodeItem(op: AnyBatch, coerced: Values, slices: Slices): Values | Error | Promise<Values | Error> {
  try {
    const long = decodeLong(op.item, coerced)
    if (!long) return decodeAll(op.item, coerced)
    return slices.drive(long).then((decoded) => decodeAll(op.item, decoded), refusal)
  } catch (error) {
    return refusal(error)
  }
}

function refusal(error: unknown): KernelError {
  if (error instanceof KernelError) return error
  throw error
}

/** Puts the item's index before the message of an error that fails the whole request. */
function named<T>(index: number, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof KernelError) throw invalid(`batch_input[${index}].${error.message}`)
    throw error
  }
}

export interface BatchStatus {
  readonly status: number
  readonly errors?: readonly string[]
  readonly warnings: readonly string[]
}

/** The status of a batch. `wanted` is the parameter `partial_failure_response_code`. */
export function batchStatus(op: AnyBatch, results: readonly (Values | Error)[], wanted: number | undefined): BatchStatus {
  const inRange = wanted === undefined || (wanted >= 200 && wanted <= 599)
  const warnings = inRange ? [] : ['partial_failure_response_code: must be between 200 and 599; 400 is used instead']
  const failed = results.filter((result) => result instanceof Error).length
  if (failed === 0 || op.failedItems === 'ignored') return { status: 200, warnings }
  const status = failed < results.length && wanted !== undefined && inRange ? wanted : 400
  if (status < 400) return { status, warnings }
  return { status, warnings, errors: [`${failed} of ${results.length} items failed; see data.batch_results`] }
}
