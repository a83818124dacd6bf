import { invalid } from '../../../core/base/errors.ts'
import { isWellFormed } from '../../../core/base/well-formed.ts'

/** @throws KernelError 400 for an unpaired surrogate, which UTF-8 cannot represent. */
export function checkUnicode(text: string, path: string): string {
  if (!isWellFormed(text)) throw invalid(`${path}: must be Unicode text`)
  return text
}
