/** The wrapping methods for the application. The application has no token of its own, so the argument `token` is required. */
import type { CallOptions, Reply } from '../../core/contract/api.ts'
import type {
  LookupWrappingArguments,
  LookupWrappingResult,
  RewrapArguments,
  UnwrapArguments,
  UnwrapResult,
  WrapInfoResult,
  Wrapping,
} from './generated/api.ts'

interface WithToken {
  readonly token: string
}

export interface KernelWrapping extends Omit<Wrapping, 'unwrap' | 'rewrap' | 'lookupWrapping'> {
  /**
   * Unwraps a response. A wrapping token can be used only once.
   *
   * `POST sys/wrapping/unwrap`
   * @throws KernelError 400 if the token does not exist, was already used, or is not a wrapping token.
   */
  unwrap(args: UnwrapArguments & WithToken, options?: CallOptions): Promise<Reply<UnwrapResult>>

  /**
   * Replaces a wrapping token by a new one with the same content and lifetime.
   *
   * `POST sys/wrapping/rewrap`
   * @throws KernelError 400 if the token does not exist, was already used, or is not a wrapping token.
   */
  rewrap(args: RewrapArguments & WithToken, options?: CallOptions): Promise<Reply<WrapInfoResult>>

  /**
   * Shows the properties of a wrapping token without using it.
   *
   * `POST sys/wrapping/lookup`
   * @throws KernelError 400 if the token does not exist, was already used, or is not a wrapping token.
   */
  lookupWrapping(args: LookupWrappingArguments & WithToken, options?: CallOptions): Promise<Reply<LookupWrappingResult>>
}
