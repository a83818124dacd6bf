/**
 * How records are encoded in a storage.
 */
import type { Steps } from '../base/steps.ts'

export interface RecordCipher {
  /** Whether records can be read and written now. */
  readonly open: boolean
  /** The record to store under `key`. The caller keeps `value`. */
  encode(key: string, value: Uint8Array): Uint8Array
  /** {@link encode} for all values of one commit; `keys[i]` is the key of `values[i]`. */
  encodeAll(keys: readonly string[], values: readonly Uint8Array[]): readonly Uint8Array[]
  /** The value that was stored under `key`. @throws KernelError ERR_INTERNAL if it was altered or moved to another key. */
  decode(key: string, record: Uint8Array): Uint8Array
  /** {@link encode} of a long value. */
  encodeSteps(key: string, value: Uint8Array): Steps<Uint8Array>
  /** {@link decode} of a long record. */
  decodeSteps(key: string, record: Uint8Array): Steps<Uint8Array>
}
