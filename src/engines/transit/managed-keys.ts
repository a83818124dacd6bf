/** Parameters that refer to a key in an HSM or a KMS. */
import { invalid } from '../../core/base/errors.ts'
import { f } from '../../core/field/fields.ts'
import { type KeyTypeName, keyType } from './key-types/index.ts'
import type { ManagedKeyRef } from './port.ts'

export const MANAGED_FIELDS = {
  managed_key_name: f
    .text('For type managed_key: the name of the key in the external system. Ignored for other types.')
    .optional(),
  managed_key_id: f.text('For type managed_key: the id of the key in the external system. Ignored for other types.').optional(),
}

interface ManagedInput {
  readonly managed_key_name: string | undefined
  readonly managed_key_id: string | undefined
}

export const managedRef = ({ managed_key_name: name, managed_key_id: id }: ManagedInput): ManagedKeyRef => ({
  ...(name ? { name } : {}),
  ...(id ? { id } : {}),
})

/** Managed keys are rotated in the system that keeps them, so automatic rotation is refused. @throws KernelError 400 */
export function checkRotation(type: KeyTypeName, autoRotateSeconds: number): void {
  if (autoRotateSeconds > 0 && keyType(type).isManaged)
    throw invalid(`auto_rotate_period: keys of type ${type} cannot be rotated automatically`)
}
