import type { RefusedItem } from '../../../core/contract/api.ts'
import type { RewrapItem as BatchItem } from '../generated/api-arguments.ts'

/** A stored ciphertext with the parameters of its encryption. `reference`, such as the id of a row, is returned with the result. */
export type RewrapItem = Omit<BatchItem, 'key_version'>

/** The result of an item that succeeded: the ciphertext to store. */
export interface RewrappedItem {
  /** The ciphertext, in the form `<prefix>:v<version>:<base64>`. */
  readonly ciphertext: string
  /** The version of that ciphertext. */
  readonly key_version: number
  /**
   * True if the ciphertext is the one that you passed, because it already had the requested version. There is nothing to store. The
   * ciphertext was not decrypted, so it was not verified either.
   */
  readonly unchanged: boolean
  /** Empty if the item has no reference. */
  readonly reference: string
  /** Always undefined, because the item succeeded. */
  readonly error?: undefined
}

/** The result of one item: a ciphertext or an error. */
export type RewrapAllResult = RewrappedItem | RefusedItem
