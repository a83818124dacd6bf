/**
 * JSON inside tokens, read strictly: what two readers could understand differently is refused.
 * Room: engines/orchestrator/jwt. Imported by the readers of headers and claims.
 */
import { type LoginRefusalReason, refuseLogin } from '../../../core/auth/login/refusal.ts'
import { finish } from '../../../core/crypto/pieces.ts'
import { KernelError } from '../../../core/errors.ts'
import { BODY_LIMITS, type JsonLimits } from '../../../core/request/json-cursor.ts'
import { readJson } from '../../../core/request/json-reader.ts'

/** Claims of service accounts are three levels deep. */
const LIMITS: JsonLimits = { ...BODY_LIMITS, levels: 32, repeatedNames: false }

export type Members = Readonly<Record<string, unknown>>

/** The members of an object; undefined for `null`. @throws KernelError 403 for everything else, with this reason */
export function readObject(bytes: Uint8Array, reason: LoginRefusalReason): Members | undefined {
  const value = parsed(bytes, reason)
  if (value === null) return undefined
  if (typeof value !== 'object' || Array.isArray(value)) throw refuseLogin(reason)
  return value as Members
}

/** Undefined for an empty text. */
function parsed(bytes: Uint8Array, reason: LoginRefusalReason): unknown {
  try {
    return finish(readJson(bytes, LIMITS))
  } catch (error) {
    throw error instanceof KernelError ? refuseLogin(reason) : error
  }
}
