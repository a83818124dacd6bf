/** Callers of operations that need no token but show more to callers with a token. */
import { KernelError } from '../base/errors.ts'
import type { Caller, TokenCaller } from '../contract/caller.ts'

/** The caller of the token, or an anonymous caller if the token is invalid for any reason. */
export function orAnonymous(authenticate: () => TokenCaller | Promise<TokenCaller>, text: string): Caller | Promise<Caller> {
  const refused = (error: unknown): Caller => {
    if (error instanceof KernelError) return { kind: 'anonymous', text }
    throw error
  }
  try {
    const found = authenticate()
    return found instanceof Promise ? found.catch(refused) : found
  } catch (error) {
    return refused(error)
  }
}
