/** Reads JSON responses. */
import { systemClock } from '../../core/base/clock.ts'
import { Slices } from '../../core/base/slices.ts'
import { type JsonLimits, parseJson } from '../../core/json/json.ts'
import { MAX_RETRY_AFTER_MS, retryAfterMs } from './retry-after.ts'
import { kindOfStatus, type SyncError, syncError } from './sync-error.ts'

export interface RestResponse {
  readonly status: number
  readonly headers: Headers
  /** The parsed JSON; undefined for an empty body or invalid JSON. */
  readonly body: unknown
}

export type JsonMembers = Readonly<Record<string, unknown>>

export const membersOf = (value: unknown): JsonMembers =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonMembers) : {}

/** @returns Undefined if the body has more bytes than `longest`; the remaining bytes are not read. */
export async function readResponseBytes(
  body: ReadableStream<Uint8Array> | null,
  longest: number,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = body?.getReader()
  while (reader) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.length
    if (size > longest) {
      reader.cancel().catch(() => {})
      return undefined
    }
    chunks.push(value)
  }
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/** Limits for the memory and the work of parsing a response. */
const LIMITS: JsonLimits = { levels: 64, values: 400_000, numberBytes: 64, beyondDouble: false, repeatedNames: true }

/** @returns Undefined if the JSON is invalid or exceeds the limits. The parser's error is dropped, because it may contain secrets. */
export async function parseResponse(bytes: Uint8Array): Promise<unknown> {
  try {
    return await new Slices(systemClock).drive(parseJson(bytes, LIMITS))
  } catch {
    return undefined
  }
}

/** The error for a response that is not among the expected ones. */
export function restError({ status, headers }: RestResponse, code = `http_${status}`, wait = retryWaitOf(headers)): SyncError {
  const limited = status === 403 && (wait !== undefined || headers.get('x-ratelimit-remaining') === '0')
  return syncError(limited ? 'throttled' : kindOfStatus(status), code, wait)
}

/**
 * Returns the wait that the server requests. `x-ratelimit-reset` is in seconds since 1970 by the server's clock, so it is compared with the
 * server's `date` header.
 */
function retryWaitOf(headers: Headers): number | undefined {
  const retryAfter = retryAfterMs(headers.get('retry-after'))
  if (retryAfter !== undefined) return retryAfter
  const reset = headers.get('x-ratelimit-reset')
  if (headers.get('x-ratelimit-remaining') !== '0' || !reset || !/^\d{1,12}$/.test(reset)) return undefined
  const date = Date.parse(headers.get('date') ?? '')
  const wait = Number(reset) * 1000 - (Number.isNaN(date) ? Date.now() : date)
  return Math.min(Math.max(wait, 0), MAX_RETRY_AFTER_MS)
}

/** Returns the server's error code, unless it could be a part of a secret that was sent. */
export function safeErrorCode(code: unknown, ...secrets: readonly string[]): string | undefined {
  if (typeof code !== 'string' || !/^[A-Za-z][A-Za-z_]{1,59}$/.test(code)) return undefined
  return secrets.some((secret) => secret.includes(code) || (secret !== '' && code.includes(secret))) ? undefined : code
}
