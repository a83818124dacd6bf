/** The maximum size of a config entry. */
import { KernelError } from '../../core/base/errors.ts'
import { entriesOf, WideObject } from '../../core/json/wide-object.ts'

/**
 * The maximum size of an entry as JSON without spaces. Each character counts as one byte, and escapes are not counted. Consul's log accepts
 * larger entries, but warns about entries of more than 512 KiB.
 */
export const MAX_ENTRY_BYTES = 524_288

/** @param what Names the entry in the error message. @throws KernelError 413 */
export function assertEntrySize(entry: unknown, what: string): void {
  if (!isWithin(entry, MAX_ENTRY_BYTES))
    throw new KernelError('ERR_REQUEST_TOO_LARGE', `body: ${what} must have at most ${MAX_ENTRY_BYTES} bytes as JSON`, {
      details: { limit: MAX_ENTRY_BYTES },
    })
}

/**
 * Without recursion, because a body may have thousands of levels. Stops as soon as the size is exceeded. Every element counts with a comma,
 * so a container that is not empty counts one character less.
 */
function isWithin(value: unknown, limit: number): boolean {
  let left = limit
  const open: unknown[] = [value]
  while (open.length > 0) {
    const one = open.pop()
    left -= sizeOf(one)
    if (left < 0) return false
    if (typeof one !== 'object' || one === null) continue
    if (Array.isArray(one)) {
      left -= one.length
      if (left < 0) return false
      for (const item of one) open.push(item)
      continue
    }
    for (const [name, member] of one instanceof WideObject ? entriesOf(one) : Object.entries(one)) {
      left -= name.length + '"":,'.length
      if (left < 0) return false
      open.push(member)
    }
  }
  return true
}

const isEmpty = (container: object): boolean =>
  Array.isArray(container) ? container.length === 0 : !(container instanceof WideObject) && Object.keys(container).length === 0

/** The size of a scalar, or of the brackets of an array or object. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + '""'.length
  if (typeof value === 'object' && value !== null) return isEmpty(value) ? 2 : 1
  return typeof value === 'number' && value >= 0 && value < 10 ? 1 : String(value).length
}
