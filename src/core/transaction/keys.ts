/**
 * What a storage may be asked for. The store judges every key, prefix and bound by it on its way out, and drafts every write as soon as
 * it is made.
 */
import { invalid } from '../base/errors.ts'
import { isKey, isWellFormed } from '../storage/ops.ts'
import { logKey, MAX_KEY_BYTES, type Op, type Page } from '../storage/port.ts'

/**
 * Whether there can be a record at `key`. Where it is too long for one there is none: it is read as any other that is absent.
 * @throws KernelError 400 for what is no text.
 */
export function canLieAt(key: string): boolean {
  if (isKey(key)) return true
  // Whatever it is: looking at all of it would take as long as it is.
  if (key.length > MAX_KEY_BYTES) return false
  if (!isWellFormed(key)) throw invalid('the name holds half of a surrogate pair: it is no Unicode text')
  return false
}

/** The same of keys that begin so. */
export const canLieBelow = (prefix: string): boolean => prefix === '' || canLieAt(prefix)

/** @throws KernelError 400 for a key that no storage takes. */
export function checkKey(key: string): void {
  if (!canLieAt(key)) throw invalid(`the name is too long: with its place in the store it exceeds ${MAX_KEY_BYTES} bytes`)
}

/** @throws KernelError 400 for a lower bound that no name reaches. */
export function checkBound(prefix: string, { after }: Page): void {
  if (after) checkKey(prefix + after)
}

/** Without what holds anyway: that nothing lies where nothing can. @throws KernelError 400 for writes there */
export function possible(ops: readonly Op[]): readonly Op[] {
  if (ops.every((op) => op.op !== 'append' && isKey(op.key))) return ops
  return ops.filter((op) => {
    if (op.op === 'check' && op.expect === 0) return canLieAt(op.key)
    checkKey(op.op === 'append' ? logKey(op.log, 1) : op.key)
    return true
  })
}
