import { KernelError } from '../../../../core/base/errors.ts'

/**
 * Sends a request of at most 64 KiB, which the other cluster passes to `answerRequest`, and resolves with the reply. Rejections are passed
 * on.
 */
export type SendRequest = (request: Uint8Array) => Promise<Uint8Array>

/** The error for an invalid reply from the other cluster. */
export const invalidReply = (): KernelError =>
  new KernelError('ERR_UPSTREAM', 'the other cluster returned no valid reply about its hash tree')
