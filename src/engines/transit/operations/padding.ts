import { invalid } from '../../../core/base/errors.ts'
import { f } from '../../../core/field/fields.ts'
import type { Encryptor } from '../key-types/key-type.ts'

export const PADDING_SCHEME = f
  .oneOf(['oaep'] as const, 'Only oaep, and only for RSA keys. Any other padding is refused.')
  .optional()

/** @throws KernelError 400 if the key type does not support the padding scheme */
export function checkPadding(encryptor: Encryptor, scheme: string | undefined): void {
  if (scheme !== undefined && encryptor.aead) throw invalid('padding_scheme: is only for RSA keys')
}
