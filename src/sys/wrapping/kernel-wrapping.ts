/** Wrapped answers for the application, which has no token that could be a wrapping token. */
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

/** Answers and objects that are opened once, as the application calls the methods. */
export interface KernelWrapping extends Omit<Wrapping, 'unwrap' | 'rewrap' | 'lookupWrapping'> {
  /**
   * Opens what is behind a wrapping token, once.
   *
   * `POST sys/wrapping/unwrap`
   * @throws KernelError 400 for a token that does not exist, that was used, or that wraps nothing.
   */
  unwrap(args: UnwrapArguments & WithToken, options?: CallOptions): Promise<Reply<UnwrapResult>>

  /**
   * Replaces a wrapping token by another one with the same content and lifetime.
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
