/**
 * Which keys a storage may be asked for. The store checks every key, prefix and bound before a call, and drafts check every write when
 * it is made.
 */
import { invalid } from '../base/errors.ts'
import { isKey, isWellFormed } from '../storage/ops.ts'
import { logKey, MAX_KEY_BYTES, type Op, type Page } from '../storage/port.ts'

/**
 * Whether a record can lie at `key`. A key that is too long has no record and reads as absent.
 * @throws KernelError 400 for a key that is not well-formed text.
 */
export function canLieAt(key: string): boolean {
  if (isKey(key)) return true
  // The length is checked first, because scanning a huge key would take too long.
  if (key.length > MAX_KEY_BYTES) return false
  if (!isWellFormed(key)) throw invalid('the name holds half of a surrogate pair: it is no Unicode text')
  return false
}

/** Whether any record can lie below this prefix. */
export const canLieBelow = (prefix: string): boolean => prefix === '' || canLieAt(prefix)

/** @throws KernelError 400 for a key that no storage takes. */
export function checkKey(key: string): void {
  if (!canLieAt(key)) throw invalid(`the name is too long: with its place in the store it exceeds ${MAX_KEY_BYTES} bytes`)
}

/** @throws KernelError 400 for a lower bound that no name reaches. */
export function checkBound(prefix: string, { after }: Page): void {
  if (after) checkKey(prefix + after)
}

/**
 * Drops checks that hold anyway: that a key too long for any record is absent. @throws KernelError 400 for writes to such a key
 */
export function possible(ops: readonly Op[]): readonly Op[] {
  if (ops.every((op) => op.op !== 'append' && isKey(op.key))) return ops
  return ops.filter((op) => {
    if (op.op === 'check' && op.expect === 0) return canLieAt(op.key)
    checkKey(op.op === 'append' ? logKey(op.log, 1) : op.key)
    return true
  })
}
