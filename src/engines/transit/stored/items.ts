/** A stored ciphertext, and what becomes of it. */
import type { RefusedItem } from '../../../core/contract/api.ts'
import type { RewrapItem as BatchItem } from '../api-arguments.ts'

/**
 * One stored ciphertext, with the parameters that encrypted it. `reference`, such as the id of a row, is returned with the
 * result.
 */
export type RewrapItem = Omit<BatchItem, 'key_version'>

/** An item with a ciphertext to store in place of the old one. */
export interface RewrappedItem {
  /** `<prefix>:v<version>:<base64>` */
  readonly ciphertext: string
  /** The version of that ciphertext. */
  readonly key_version: number
  /**
   * The ciphertext is yours, which was under that version before: nothing to store. It was not opened, so its content is not
   * verified.
   */
  readonly unchanged: boolean
  /** Empty where the item has none. */
  readonly reference: string
  /** Undefined: the item succeeded. */
  readonly error?: undefined
}

/** The result of one item: a ciphertext, or the reason for a refusal. */
export type RewrapAllResult = RewrappedItem | RefusedItem
