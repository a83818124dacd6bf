/** Parses the JSON objects inside tokens. */
import { KernelError } from '../base/errors.ts'
import type { LoginRefusalReason } from '../contract/login-reason.ts'
import { refuseLogin } from '../contract/login-refusal.ts'
import { parseJsonStrictly } from '../json/json-strict.ts'

/** The maximum number of levels of nesting. The claims of a service account token have three levels. */
const LEVELS = 32

/** Returns the members of a JSON object, and undefined for `null`. @throws KernelError 403 with the given reason for any other text */
export function readObject(bytes: Uint8Array, reason: LoginRefusalReason): Readonly<Record<string, unknown>> | undefined {
  const value = parsed(bytes, reason)
  if (value === null) return undefined
  if (typeof value !== 'object' || Array.isArray(value)) throw refuseLogin(reason)
  return value as Readonly<Record<string, unknown>>
}

function parsed(bytes: Uint8Array, reason: LoginRefusalReason): unknown {
  try {
    return parseJsonStrictly(bytes, LEVELS)
  } catch (error) {
    throw error instanceof KernelError ? refuseLogin(reason) : error
  }
}
