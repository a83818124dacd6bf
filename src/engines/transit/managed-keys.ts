/** Parameters that name the HSM's or KMS's key of a version (spec document 1, "Create key" and "Rotate key"). */
import { invalid } from '../../core/base/errors.ts'
import { f } from '../../core/field/fields.ts'
import { type KeyTypeName, keyType } from './key-types/index.ts'
import type { ManagedKeyRef } from './port.ts'

export const MANAGED_FIELDS = {
  managed_key_name: f.text('Of type managed_key: the name of the key where it is kept. Ignored for other types.').optional(),
  managed_key_id: f.text('Of type managed_key: the id of the key where it is kept. Ignored for other types.').optional(),
}

interface ManagedInput {
  readonly managed_key_name: string | undefined
  readonly managed_key_id: string | undefined
}

export const managedRef = ({ managed_key_name: name, managed_key_id: id }: ManagedInput): ManagedKeyRef => ({
  ...(name ? { name } : {}),
  ...(id ? { id } : {}),
})

/** Refuses automatic rotation of keys kept elsewhere: they are rotated there. @throws KernelError 400 */
export function checkRotation(type: KeyTypeName, autoRotateSeconds: number): void {
  if (autoRotateSeconds > 0 && keyType(type).isManaged)
    throw invalid(`auto_rotate_period: keys of type ${type} do not rotate by themselves`)
}
