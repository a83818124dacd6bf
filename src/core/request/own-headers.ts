/** Headers that only the kernel has. The configuration service has other headers. */
import { parseDuration } from '../base/duration.ts'
import { invalid, KernelError } from '../base/errors.ts'
import { type Headers, rawHeader, readHeader } from '../exchange/headers.ts'

/** The requested wrapping TTL in seconds; 0 means none. @throws KernelError 400 */
export function readWrapTtl(headers: Headers, name: string): number {
  const sent = readHeader(headers, name)?.trim()
  if (!sent) return 0
  const seconds = parseDuration(sent, name)
  if (seconds === 0 && /[1-9]/.test(sent)) throw invalid(`${name}: must be at least one second, or 0 for no wrapping`)
  return seconds
}

/** Checks for a header that the kernel's options may require. Browsers cannot add it to forged requests. @throws KernelError 412 */
export function checkMarker(headers: Headers, name: string): void {
  const values = [rawHeader(headers, name)].flat()
  if (values.length !== 1 || values[0] !== 'true') throw new KernelError('ERR_PRECONDITION', `missing "${name}" header`)
}
