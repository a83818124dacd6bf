import { DatabaseError, databaseFailure } from '../database/failure.ts'

/** The SQLSTATE, five characters, if the error comes from the server. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | null)?.code
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code) ? code : undefined
}

/** SQLSTATEs after which the session has ended, so it is unknown whether its last statement took effect. */
const SESSION_OVER = /^(08|57P0|25P03|25P04|40003)/
const LOGIN_REFUSED = /^(28|3D000|42501)/

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown } | null)?.code

/**
 * Whether the driver itself raised the error during the login: the password is missing, or the server cannot prove that it knows the
 * password. Such errors have no code.
 */
const isSaslError = (error: unknown): boolean => error instanceof Error && error.message.startsWith('SASL')

export function loginFailure(error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error
  const state = sqlState(error)
  return databaseFailure(
    isSaslError(error) || (state !== undefined && LOGIN_REFUSED.test(state)) ? 'auth' : 'connection',
    codeOf(error),
  )
}

export function statementFailure(error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error
  const state = sqlState(error)
  return databaseFailure(state !== undefined && !SESSION_OVER.test(state) ? 'statement' : 'connection', codeOf(error))
}
