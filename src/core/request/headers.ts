/**
 * Reading a request's headers, whose names come in any case. Room: core/request. Imported by the path view.
 */
import type { KernelRequest } from './request.ts'

/** The first value of a header; undefined when it was not sent. Anything that is no text counts as not sent. */
export function readHeader(headers: KernelRequest['headers'], name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined
  const exact = headers[name]
  if (exact !== undefined) return first(exact)
  const wanted = name.toLowerCase()
  for (const sent in headers) if (sent.length === wanted.length && sent.toLowerCase() === wanted) return first(headers[sent])
  return undefined
}

function first(value: unknown): string | undefined {
  const one: unknown = Array.isArray(value) ? value[0] : value
  return typeof one === 'string' ? one : undefined
}
