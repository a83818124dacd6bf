/**
 * Rules for valid storage keys. `Store` checks every key, prefix and bound before it calls the storage. In addition, a transaction checks
 * the key of every write when the operation makes it.
 */
import { invalid } from '../base/errors.ts'
import { isWellFormed } from '../base/well-formed.ts'
import { isKey } from '../storage/ops.ts'
import { logKey, MAX_KEY_BYTES, type Op, type Page } from '../storage/port.ts'

/**
 * Whether a record can exist at `key`. A key that is too long has no record, so reading it returns undefined.
 * @throws KernelError 400 for a key that cannot be encoded as UTF-8.
 */
export function isPossibleKey(key: string): boolean {
  if (isKey(key)) return true
  // Check the length first, because scanning a huge key would take too long.
  if (key.length > MAX_KEY_BYTES) return false
  if (!isWellFormed(key)) throw invalid('the name contains half of a surrogate pair, so it is not Unicode text')
  return false
}

/** Whether any record can exist below this prefix. */
export const isPossiblePrefix = (prefix: string): boolean => prefix === '' || isPossibleKey(prefix)

/** @throws KernelError 400 for a key that no storage accepts. */
export function checkKey(key: string): void {
  if (!isPossibleKey(key)) throw invalid(`the name is too long: its storage key would exceed ${MAX_KEY_BYTES} bytes`)
}

/** @throws KernelError 400 for a lower bound that is not a valid key. */
export function checkBound(prefix: string, { after }: Page): void {
  if (after) checkKey(prefix + after)
}

/**
 * Removes checks that would make a storage refuse the commit although they always succeed: a key that is too long never has a record, so
 * checking that it has none is not necessary.
 * @throws KernelError 400 for writes to such a key.
 */
export function withoutVacuousChecks(ops: readonly Op[]): readonly Op[] {
  if (ops.every((op) => op.op !== 'append' && isKey(op.key))) return ops
  return ops.filter((op) => {
    if (op.op === 'check' && op.expect === 0) return isPossibleKey(op.key)
    checkKey(op.op === 'append' ? logKey(op.log, 1) : op.key)
    return true
  })
}
