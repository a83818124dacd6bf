/**
 * Encodes values as stored records, and decodes them.
 */
import type { Steps } from '../base/steps.ts'

export interface RecordCipher {
  /** Whether records can be read and written now. */
  readonly open: boolean
  /** Returns the record to store under the storage key `key`. `value` still belongs to the caller. */
  encode(key: string, value: Uint8Array): Uint8Array
  /** Like {@link encode}, for all values of one commit; `values[i]` is stored under `keys[i]`. */
  encodeAll(keys: readonly string[], values: readonly Uint8Array[]): readonly Uint8Array[]
  /** Returns the value that was stored under `key`. @throws KernelError ERR_INTERNAL if the record was altered or moved to another key. */
  decode(key: string, record: Uint8Array): Uint8Array
  /** Like {@link encode}, for a long value. */
  encodeSteps(key: string, value: Uint8Array): Steps<Uint8Array>
  /** Like {@link decode}, for a long record. */
  decodeSteps(key: string, record: Uint8Array): Steps<Uint8Array>
}
