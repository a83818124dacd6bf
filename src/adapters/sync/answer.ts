/**
 * Answers of stores that speak JSON over HTTP, as far as they are read.
 */
import { systemClock } from '../../core/base/clock.ts'
import { Slices } from '../../core/base/slices.ts'
import { type JsonLimits, parseJson } from '../../core/json/json.ts'
import { failed, kindOfStatus, type SyncError } from './failure.ts'
import { retryAfterMs } from './retry-after.ts'

export interface RestAnswer {
  readonly status: number
  readonly headers: Headers
  /** The JSON that came; undefined where none did, or none that can be read. */
  readonly body: unknown
}

export type Members = Readonly<Record<string, unknown>>

export const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {}

/** A store that waits longer than this would be given up. */
const LONGEST_WAIT_MS = 86_400_000

/** @returns The body's bytes; undefined where there are more than `longest`, which are not waited for. */
export async function bytesOf(body: ReadableStream<Uint8Array> | null, longest: number): Promise<Uint8Array | undefined> {
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
export async function jsonOf(bytes: Uint8Array): Promise<unknown> {
  try {
    return await new Slices(systemClock).drive(parseJson(bytes, LIMITS))
  } catch {
    return undefined
  }
}

/** What an answer that is none of those hoped for means. */
export function refusalOf({ status, headers }: RestAnswer, code = `http_${status}`, wait = waitOf(headers)): SyncError {
  const limited = status === 403 && (wait !== undefined || headers.get('x-ratelimit-remaining') === '0')
  return failed(limited ? 'throttled' : kindOfStatus(status), code, wait)
}

/** The end of a spent limit is told in seconds since 1970, by the store's own clock. */
function waitOf(headers: Headers): number | undefined {
  const told = retryAfterMs(headers.get('retry-after'))
  if (told !== undefined) return Math.min(told, LONGEST_WAIT_MS)
  const reset = headers.get('x-ratelimit-reset')
  if (headers.get('x-ratelimit-remaining') !== '0' || !reset || !/^\d{1,12}$/.test(reset)) return undefined
  const date = Date.parse(headers.get('date') ?? '')
  const wait = Number(reset) * 1000 - (Number.isNaN(date) ? Date.now() : date)
  return Math.min(Math.max(wait, 0), LONGEST_WAIT_MS)
}

/** A code that a store chose, unless it could be a piece of what it was sent. */
export function codeOf(code: unknown, ...secrets: readonly string[]): string | undefined {
  if (typeof code !== 'string' || !/^[A-Za-z][A-Za-z_]{1,59}$/.test(code)) return undefined
  return secrets.some((secret) => secret.includes(code) || (secret !== '' && code.includes(secret))) ? undefined : code
}
