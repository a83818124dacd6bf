/** Reads the request headers that only the kernel supports. The configuration service supports other headers. */
import { parseDuration } from '../base/duration.ts'
import { invalid, KernelError } from '../base/errors.ts'
import { type Headers, rawHeader, readHeader } from '../exchange/headers.ts'

export type OwnHeaderNames = ReturnType<typeof ownHeaderNames>

export const ownHeaderNames = (prefix: string) => ({
  namespace: `${prefix}-Namespace`,
  wrapTtl: `${prefix}-Wrap-TTL`,
  wrapFormat: `${prefix}-Wrap-Format`,
  token: `${prefix}-Token`,
  marker: `${prefix}-Request`,
})

/** Returns the requested wrapping TTL in seconds; 0 means no wrapping. @throws KernelError 400 if the header is not a valid duration */
export function readWrapTtl(headers: Headers, name: string): number {
  const sent = readHeader(headers, name)?.trim()
  if (!sent) return 0
  const seconds = parseDuration(sent, name)
  if (seconds === 0 && /[1-9]/.test(sent)) throw invalid(`${name}: must be at least one second, or 0 for no wrapping`)
  return seconds
}

/**
 * Checks that the request has the header `<name>: true`. Browsers do not add it to requests that another site has forged. @throws
 * KernelError 412 if the header is missing or has another value
 */
export function checkMarker(headers: Headers, name: string): void {
  const values = [rawHeader(headers, name)].flat()
  if (values.length !== 1 || values[0] !== 'true') throw new KernelError('ERR_PRECONDITION', `missing "${name}" header`)
}
