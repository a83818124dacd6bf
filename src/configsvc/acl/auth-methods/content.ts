import { invalid } from '../../../core/base/errors.ts'
import { parseGoDuration } from '../../../core/base/go-duration.ts'
import type { ConfigTx } from '../../call.ts'
import { type AuthMethodConfig, type AuthMethodType, authMethodTypeOf } from '../../methods/method-types.ts'
import { isAuthMethodName } from '../../rules/index.ts'
import type { AuthMethodRecord } from '../records.ts'
import { validateTtl } from '../tokens/lifetime.ts'

/** An auth method as a request contains it. */
export interface AuthMethodInput {
  readonly Name: string
  readonly Type: string
  readonly DisplayName: string
  readonly Description: string
  readonly MaxTokenTTL: string | number
  readonly TokenLocality: string
  readonly Config: unknown
  readonly NamespaceRules: readonly unknown[]
}

export type AuthMethodContent = Pick<
  AuthMethodRecord,
  'Type' | 'DisplayName' | 'Description' | 'MaxTokenTTL' | 'TokenLocality' | 'Config'
>

const LOCALITIES = ['local', 'global']

/** @throws KernelError 400 */
export function validateMethodName(name: string): void {
  if (name === '') throw invalid('Invalid Auth Method: no Name is set')
  if (!isAuthMethodName(name)) throw invalid('Invalid Auth Method: invalid Name: must be 1 to 128 letters, digits, "-" and "_"')
}

/** @param known The stored method with the name of `sent`, if there is one. @throws KernelError 400 */
export function readMethodContent(tx: ConfigTx, sent: AuthMethodInput, known: AuthMethodRecord | undefined): AuthMethodContent {
  const Type = sent.Type || known?.Type
  if (!Type) throw invalid('Invalid Auth Method: no Type is set')
  const type = authMethodTypeOf(Type)
  if (known && authMethodTypeOf(known.Type) !== type) throw invalid('Invalid Auth Method: the Type cannot be changed')
  if (sent.NamespaceRules.length > 0)
    throw invalid('Invalid Auth Method: NamespaceRules: must be empty; logins stay in the namespace of the method')
  return {
    Type,
    DisplayName: sent.DisplayName,
    Description: sent.Description,
    MaxTokenTTL: String(readMaxTokenTtl(sent.MaxTokenTTL)),
    TokenLocality: readLocality(sent.TokenLocality),
    // Parsing keys takes long. So it runs in slices, and only once per request, although the transaction may run several times.
    Config: tx.steps('config', function* () {
      yield
      return type.readConfig(sent.Config, tx.env.crypto)
    }),
  }
}

/** Nanoseconds; 0 means unlimited. */
function readMaxTokenTtl(sent: string | number): bigint {
  const nanoseconds = parseGoDuration(sent, 'MaxTokenTTL')
  if (nanoseconds !== 0n) validateTtl(nanoseconds, 'Invalid Auth Method: MaxTokenTTL')
  return nanoseconds
}

function readLocality(sent: string): string {
  if (sent === '') return 'local'
  if (!LOCALITIES.includes(sent)) throw invalid('Invalid Auth Method: TokenLocality: must be local or global')
  return sent
}

/**
 * Returns the type of a stored method, and its configuration. The two belong together: this type produced `Config` when the method was
 * stored.
 */
export const typedConfigOf = ({
  Type,
  Config,
}: AuthMethodRecord): { readonly type: AuthMethodType; readonly config: AuthMethodConfig } => ({
  type: authMethodTypeOf(Type),
  config: Config as AuthMethodConfig,
})
