/** The token methods for the application, which has no token of its own. */
import type { CallOptions, Reply } from '../../core/contract/api.ts'
import type { Tokens } from './generated/api.ts'
import type { CreateTokenArguments, LookupTokenArguments } from './generated/api-arguments.ts'
import type { AuthResult, TokenInfoResult } from './generated/api-results.ts'

/** Makes `policies` required: the application has no token whose policies could be the default. */
interface WithPolicies {
  readonly policies: readonly string[]
}

/**
 * Tokens and token roles for the application. Methods that apply to the caller's own token exist only on views made by `as(token)`.
 */
export interface KernelTokens
  extends Omit<Tokens, 'createToken' | 'createOrphan' | 'lookupToken' | 'lookupSelf' | 'renewSelf' | 'revokeSelf'> {
  /**
   * Creates an orphan token with the given policies.
   *
   * `POST auth/token/create`
   * @throws KernelError 400 if `policies` is empty, if a duration is malformed, or if the request is for a batch token and sets a parameter
   * that only service tokens can have.
   * @example
   * const { client_token, accessor } = await kernel.tokens.createToken({
   *   policies: ['orders'],
   *   ttl: '1h',
   *   display_name: 'checkout',
   * })
   */
  createToken(args: CreateTokenArguments & WithPolicies, options?: CallOptions): Promise<Reply<AuthResult>>

  /**
   * The same as `createToken`, because the application can create only orphans.
   *
   * `POST auth/token/create-orphan`
   * @throws KernelError 400 in the same cases as `createToken`.
   */
  createOrphan(args: CreateTokenArguments & WithPolicies, options?: CallOptions): Promise<Reply<AuthResult>>

  /**
   * Shows a token.
   *
   * `POST auth/token/lookup`
   * @throws KernelError 404 for a token that does not exist.
   */
  lookupToken(args: LookupTokenArguments & { readonly token: string }, options?: CallOptions): Promise<Reply<TokenInfoResult>>
}
