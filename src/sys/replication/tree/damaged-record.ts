/** The error for a damaged tree record. */
import { KernelError } from '../../../core/base/errors.ts'
import type { RecordName } from './geometry.ts'

export const damagedRecord = (name: RecordName): KernelError =>
  new KernelError('ERR_INTERNAL', `the stored record ${name} of the Merkle tree is damaged`)
