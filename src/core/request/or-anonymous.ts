/** Finds the caller for operations that need no token but return more to callers with a token. */
import { KernelError } from '../base/errors.ts'
import type { Caller, TokenCaller } from '../contract/caller.ts'

/** Returns the caller of the token. If the token is invalid for any reason, returns an anonymous caller. */
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
