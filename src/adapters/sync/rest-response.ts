/**
 * Answers of stores that speak JSON over HTTP, as far as they are read.
 */
import { systemClock } from '../../core/base/clock.ts'
import { Slices } from '../../core/base/slices.ts'
import { type JsonLimits, parseJson } from '../../core/json/json.ts'
import { retryAfterMs } from './retry-after.ts'
import { kindOfStatus, type SyncError, syncError } from './sync-error.ts'

export interface RestResponse {
  readonly status: number
  readonly headers: Headers
  /** The JSON that came; undefined where none did, or none that can be read. */
  readonly body: unknown
}

export type JsonMembers = Readonly<Record<string, unknown>>

export const membersOf = (value: unknown): JsonMembers =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonMembers) : {}

/** A store that waits longer than this would be given up. */
const MAX_RETRY_AFTER_MS = 86_400_000

/** @returns The body's bytes; undefined where there are more than `longest`, which are not waited for. */
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

/** Bounds the memory that an answer takes, and the work with what was read of it. */
const LIMITS: JsonLimits = { levels: 64, values: 400_000, numberBytes: 64, beyondDouble: false, repeatedNames: true }

/** @returns Undefined for what is no JSON, or holds too much. The reader's error is dropped. */
export async function parseResponse(bytes: Uint8Array): Promise<unknown> {
  try {
    return await new Slices(systemClock).drive(parseJson(bytes, LIMITS))
  } catch {
    return undefined
  }
}

/** What an answer that is none of those hoped for means. */
export function restError({ status, headers }: RestResponse, code = `http_${status}`, wait = retryWaitOf(headers)): SyncError {
  const limited = status === 403 && (wait !== undefined || headers.get('x-ratelimit-remaining') === '0')
  return syncError(limited ? 'throttled' : kindOfStatus(status), code, wait)
}

/** The end of a spent limit is told in seconds since 1970, by the store's own clock. */
function retryWaitOf(headers: Headers): number | undefined {
  const told = retryAfterMs(headers.get('retry-after'))
  if (told !== undefined) return Math.min(told, MAX_RETRY_AFTER_MS)
  const reset = headers.get('x-ratelimit-reset')
  if (headers.get('x-ratelimit-remaining') !== '0' || !reset || !/^\d{1,12}$/.test(reset)) return undefined
  const date = Date.parse(headers.get('date') ?? '')
  const wait = Number(reset) * 1000 - (Number.isNaN(date) ? Date.now() : date)
  return Math.min(Math.max(wait, 0), MAX_RETRY_AFTER_MS)
}

/** A code that a store chose, unless it could be a piece of what it was sent. */
export function safeErrorCode(code: unknown, ...secrets: readonly string[]): string | undefined {
  if (typeof code !== 'string' || !/^[A-Za-z][A-Za-z_]{1,59}$/.test(code)) return undefined
  return secrets.some((secret) => secret.includes(code) || (secret !== '' && code.includes(secret))) ? undefined : code
}
