/**
 * Texts that can be stored as they are.
 */
import { invalid } from '../../../core/base/errors.ts'
import { isWellFormed } from '../../../core/storage/ops.ts'

/** @throws KernelError 400 for a text with half a surrogate pair, which UTF-8 cannot hold. */
export function checkUnicode(text: string, path: string): string {
  if (!isWellFormed(text)) throw invalid(`${path}: must be Unicode text`)
  return text
}
