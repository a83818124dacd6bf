/**
 * How the other side is asked.
 */
import { KernelError } from '../../../../core/base/errors.ts'

/** Sends a request, at most 64 KiB, to where `answer` is called with it, and resolves with what that returned. Rejections are passed on. */
export type SendRequest = (request: Uint8Array) => Promise<Uint8Array>

/** The other side returned something that is no reply to what it was asked. */
export const invalidReply = (): KernelError =>
  new KernelError('ERR_UPSTREAM', 'the other cluster returned no valid reply about its hash tree')
