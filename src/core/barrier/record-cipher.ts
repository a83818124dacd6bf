/**
 * How records are kept in a storage.
 */
import type { Steps } from '../base/steps.ts'

export interface RecordCipher {
  /** Whether records can be read and written now. */
  readonly open: boolean
  /** The record to store under `key`. The caller keeps `value`. */
  encode(key: string, value: Uint8Array): Uint8Array
  /** {@link encode} of the values of one commit, each under the key of the same place. */
  encodeAll(keys: readonly string[], values: readonly Uint8Array[]): readonly Uint8Array[]
  /** The value that was stored under `key`. @throws KernelError ERR_INTERNAL when it was altered or moved. */
  decode(key: string, record: Uint8Array): Uint8Array
  /** {@link encode} of a long value. */
  encodeSteps(key: string, value: Uint8Array): Steps<Uint8Array>
  /** {@link decode} of a long record. */
  decodeSteps(key: string, record: Uint8Array): Steps<Uint8Array>
}
