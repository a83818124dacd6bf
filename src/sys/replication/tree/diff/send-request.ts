import { KernelError } from '../../../../core/base/errors.ts'

/**
 * Sends a request of at most 64 KiB to the other cluster and returns the reply. The other cluster must compute the reply with
 * `answerRequest`.
 */
export type SendRequest = (request: Uint8Array) => Promise<Uint8Array>

/** The error for an invalid reply from the other cluster. */
export const invalidReply = (): KernelError =>
  new KernelError('ERR_UPSTREAM', 'the other cluster returned an invalid reply about its Merkle tree')
