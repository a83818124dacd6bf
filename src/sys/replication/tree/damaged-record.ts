/**
 * The one answer to a record of the tree that nobody wrote like that.
 */
import { KernelError } from '../../../core/base/errors.ts'
import type { RecordName } from './geometry.ts'

export const damagedRecord = (name: RecordName): KernelError =>
  new KernelError('ERR_INTERNAL', `the stored record ${name} of the hash tree is damaged`)
