/** The wrapping methods of the application. It has no token, so the wrapping token is required. */
import type { CallOptions, Reply } from '../../core/contract/api.ts'
import type {
  LookupWrappingArguments,
  LookupWrappingResult,
  RewrapArguments,
  UnwrapArguments,
  UnwrapResult,
  WrapInfoResult,
  Wrapping,
} from './api.ts'

interface WithToken {
  readonly token: string
}

export interface KernelWrapping extends Omit<Wrapping, 'unwrap' | 'rewrap' | 'lookupWrapping'> {
  /**
   * Unwraps an answer. The wrapping token can be used once.
   *
   * `POST sys/wrapping/unwrap`
   * @throws KernelError 400 for a token that does not exist, that was used, or that wraps nothing.
   */
  unwrap(args: UnwrapArguments & WithToken, options?: CallOptions): Promise<Reply<UnwrapResult>>

  /**
   * Replaces a wrapping token with a new one that has the same content and lifetime.
   *
   * `POST sys/wrapping/rewrap`
   * @throws KernelError 400 for a token that does not exist, that was used, or that wraps nothing.
   */
  rewrap(args: RewrapArguments & WithToken, options?: CallOptions): Promise<Reply<WrapInfoResult>>

  /**
   * Shows a wrapping token without using it.
   *
   * `POST sys/wrapping/lookup`
   * @throws KernelError 400 for a token that does not exist, that was used, or that wraps nothing.
   */
  lookupWrapping(args: LookupWrappingArguments & WithToken, options?: CallOptions): Promise<Reply<LookupWrappingResult>>
}
