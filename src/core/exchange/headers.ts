/**
 * Reads request headers. The names of headers are case-insensitive.
 */
import type { KernelRequest } from '../contract/request.ts'

export type Headers = KernelRequest['headers']

/** The first value of a header. Undefined if the header was not sent, or if its value is not a string. */
export function readHeader(headers: Headers, name: string): string | undefined {
  const value = rawHeader(headers, name)
  const first: unknown = Array.isArray(value) ? value[0] : value
  return typeof first === 'string' ? first : undefined
}

/** The header as it was sent, which is a list if it was repeated. Undefined if the header was not sent. */
export function rawHeader(headers: Headers, name: string): unknown {
  if (typeof headers !== 'object' || headers === null) return undefined
  const exact = headers[name]
  if (exact !== undefined) return exact
  const wanted = name.toLowerCase()
  for (const sent in headers) if (sent.length === wanted.length && sent.toLowerCase() === wanted) return headers[sent]
  return undefined
}

/** The media type of the body in lower case, without parameters. */
export const readMediaType = (headers: Headers): string | undefined =>
  readHeader(headers, 'Content-Type')?.split(';')[0]?.trim().toLowerCase()

/** The token in the service's own header. If that header is missing or empty, the token in `Authorization: Bearer`. */
export function readToken(headers: Headers, name: string): string | undefined {
  const token = readHeader(headers, name)
  if (token) return token
  const values = [rawHeader(headers, 'Authorization')].flat()
  for (const value of values) {
    const bearer = typeof value === 'string' ? bearerOf(value) : undefined
    if (bearer) return bearer
  }
  return undefined
}

const BEARER = 'bearer '

const bearerOf = (value: string): string | undefined =>
  value.slice(0, BEARER.length).toLowerCase() === BEARER ? value.slice(BEARER.length).trim() : undefined
