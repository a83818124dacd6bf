/**
 * Reads a request's headers, whose names come in any case.
 */
import type { RecordedHeader } from '../audit/recorded.ts'
import { parseDuration } from '../base/duration.ts'
import { invalid, KernelError } from '../base/errors.ts'
import type { KernelRequest } from '../contract/request.ts'

export type Headers = KernelRequest['headers']

/** The first value of a header; undefined when it was not sent. A value that is no text counts as not sent. */
export function readHeader(headers: Headers, name: string): string | undefined {
  return first(sentAs(headers, name))
}

function sentAs(headers: Headers, name: string): unknown {
  if (typeof headers !== 'object' || headers === null) return undefined
  const exact = headers[name]
  if (exact !== undefined) return exact
  const wanted = name.toLowerCase()
  for (const sent in headers) if (sent.length === wanted.length && sent.toLowerCase() === wanted) return headers[sent]
  return undefined
}

/** The headers of a request that are written to the audit log, by their names in lower case. */
export function recordedHeaders(
  headers: Headers,
  wanted: ReadonlyMap<string, { readonly hmac: boolean }>,
): ReadonlyMap<string, RecordedHeader> {
  const found = new Map<string, RecordedHeader>()
  for (const [name, { hmac }] of wanted) {
    const values = [sentAs(headers, name)].flat().filter((value) => typeof value === 'string')
    if (values.length > 0) found.set(name, { values, hmac })
  }
  return found
}

function first(value: unknown): string | undefined {
  const one: unknown = Array.isArray(value) ? value[0] : value
  return typeof one === 'string' ? one : undefined
}

/** The media type of the body, in lower case and without parameters such as a charset. */
export const readMediaType = (headers: Headers): string | undefined =>
  readHeader(headers, 'Content-Type')?.split(';')[0]?.trim().toLowerCase()

/** The token from its own header, or else from `Authorization: Bearer`. */
export function readToken(headers: Headers, name: string): string | undefined {
  const own = readHeader(headers, name)
  if (own) return own
  const values = [sentAs(headers, 'Authorization')].flat()
  for (const value of values) {
    const bearer = typeof value === 'string' ? bearerOf(value) : undefined
    if (bearer) return bearer
  }
  return undefined
}

const BEARER = 'bearer '

const bearerOf = (value: string): string | undefined =>
  value.slice(0, BEARER.length).toLowerCase() === BEARER ? value.slice(BEARER.length).trim() : undefined

/** The longest duration of the originals, in seconds: 2^63 nanoseconds. */
const LONGEST_WRAP = 9_223_372_036

/** The requested wrapping time in seconds; 0 means none. @throws KernelError 400 */
export function readWrapTtl(headers: Headers, name: string): number {
  const sent = readHeader(headers, name)?.trim()
  if (!sent) return 0
  const seconds = parseDuration(sent, name)
  if (seconds > LONGEST_WRAP) throw invalid(`${name}: must be at most ${LONGEST_WRAP} seconds`)
  if (seconds === 0 && /[1-9]/.test(sent)) throw invalid(`${name}: must be at least one second, or 0 for no wrapping`)
  return seconds
}

/** Checks the header that a proxy may require, so that requests forged by a browser fail. @throws KernelError 412 */
export function checkMarker(headers: Headers, name: string): void {
  const values = [sentAs(headers, name)].flat()
  if (values.length !== 1 || values[0] !== 'true') throw new KernelError('ERR_PRECONDITION', `missing "${name}" header`)
}
