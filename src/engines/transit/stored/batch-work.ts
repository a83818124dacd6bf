/** Processes one batch of stored ciphertexts: rewraps or inspects it. */
import { KernelError } from '../../../core/base/errors.ts'
import type { CallOptions } from '../../../core/contract/api.ts'
import type { TransitApi } from '../generated/api.ts'
import type { RewrapAllResult, RewrapItem } from './items.ts'

export type BatchMethods = Pick<TransitApi, 'rewrapBatch' | 'inspectBatch'>

export interface StoredBatchArguments {
  readonly name: string
  /** The version to rewrap to; 0 means the latest. */
  readonly key_version?: number
}

/** The result of an item, and the version of its ciphertext after the call; undefined if the version is unknown. */
export interface BatchItemResult {
  readonly result: RewrapAllResult
  readonly version: number | undefined
}

/** Rewraps one batch to the requested version. */
export async function rewrapItems(
  { rewrapBatch, inspectBatch }: BatchMethods,
  { key_version = 0, ...args }: StoredBatchArguments,
  batch: readonly RewrapItem[],
  options: CallOptions,
): Promise<readonly BatchItemResult[]> {
  const batch_input = batch.map((item) => ({ ...item, key_version }))
  const { batch_results } = await rewrapBatch({ ...args, keep_current: true, batch_input }, options)
  const refused = batch.filter((_, index) => batch_results[index]?.error)
  const versions = await versionsOf(inspectBatch, args, refused, options)
  return batch_results.map((result, index) => {
    if (result.error) return { result, version: versions.shift() }
    const { ciphertext, reference, key_version: version } = result
    const unchanged = ciphertext === batch[index]?.ciphertext
    return { result: { ciphertext, key_version: version, unchanged, reference }, version }
  })
}

/** Reports what {@link rewrapItems} would do with one batch. Reads only the text of the ciphertexts and decrypts nothing. */
export async function inspectItems(
  { inspectBatch }: BatchMethods,
  { key_version = 0, ...args }: StoredBatchArguments,
  batch: readonly RewrapItem[],
  options: CallOptions,
): Promise<readonly BatchItemResult[]> {
  const { batch_results } = await inspectBatch({ ...args, batch_input: batch.map(inspectionInput) }, options)
  return batch_results.map((result, index) => {
    if (result.error) return { result, version: undefined }
    const { key_version: version, latest_version, reference } = result
    const { ciphertext = '' } = batch[index] as RewrapItem
    const unchanged = version === (key_version || latest_version)
    return { result: { ciphertext, key_version: version, unchanged, reference }, version }
  })
}

const inspectionInput = ({ ciphertext = '', reference = '' }: RewrapItem) => ({ ciphertext, reference })

/** Returns the versions of items that could not be rewrapped; an empty list if the caller is not authorized to inspect. */
async function versionsOf(
  inspectBatch: BatchMethods['inspectBatch'],
  args: StoredBatchArguments,
  items: readonly RewrapItem[],
  options: CallOptions,
): Promise<(number | undefined)[]> {
  if (items.length === 0) return []
  try {
    const { batch_results } = await inspectBatch({ ...args, batch_input: items.map(inspectionInput) }, options)
    return batch_results.map(({ error, ...found }) => (error || !('key_version' in found) ? undefined : found.key_version))
  } catch (error) {
    if (error instanceof KernelError && error.status === 403) return []
    throw error
  }
}
