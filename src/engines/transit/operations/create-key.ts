import { alreadyExists, invalid } from '../../../core/base/errors.ts'
import { operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import type { KeyTypeName } from '../key-types/index.ts'
import { DEFAULT_KEY_TYPE, isKeyType, KEY_TYPE_NAMES, keyType } from '../key-types/index.ts'
import { KEY_RECORD, showKey } from '../key-view.ts'
import { checkRotation, MANAGED_FIELDS, managedRef } from '../managed-keys.ts'
import { checkAutoRotate, RING, type Ring, type RingOptions } from '../ring.ts'
import { createRing } from '../ring-keys.ts'

/**
 * @throws KernelError 400 if a key with this name and other settings exists, if `type` is unknown, if keys of this `type` do not support
 *   `derived`, `convergent_encryption` or the `key_size`, if `convergent_encryption` is set without `derived`, if `auto_rotate_period` is
 *   not 0 and is below one hour, if the option `fips` excludes the key type, if `type` is `managed_key` and the kernel has no
 *   `ports.managedKeys`, if `type` is `managed_key` and neither `managed_key_name` nor `managed_key_id` is given, or if `type` is
 *   `managed_key` and `auto_rotate_period` is not 0.
 * @throws KernelError 502 if the external system that keeps a managed key refuses the call, fails, or cannot be reached.
 * @example
 * await kernel.transit.createKey({ name: 'orders', type: 'aes256-gcm96', auto_rotate_period: '30d' })
 */
export const createKey = operation({
  kind: 'write',
  verb: 'POST',
  path: '/keys/:name',
  forwardable: true,
  summary:
    'Creates a named key. An existing key with the same name and settings is kept. If a key with this name has other settings, a typed call fails; a call by path keeps the key and returns a warning.',
  fields: {
    name: f.name('The name of the key.'),
    type: f.word<KeyTypeName>(`The key type: ${KEY_TYPE_NAMES.join(', ')}.`).default(DEFAULT_KEY_TYPE),
    derived: f.bool('Whether the key is derived: each call must pass a context, from which its key is derived.').default(false),
    convergent_encryption: f
      .bool('Whether encrypting the same plaintext with the same context gives the same ciphertext. Requires `derived`.')
      .default(false),
    exportable: f.bool('Whether key material may be exported. Cannot be reset to false.').default(false),
    allow_plaintext_backup: f.bool('Whether the key may be backed up in plaintext. Cannot be reset to false.').default(false),
    key_size: f.int('Key size in bytes, only for hmac: 32 to 512; 0 means 32.').default(0),
    auto_rotate_period: f.duration('Time between automatic rotations, at least one hour; 0 means never.').default(0),
    ...MANAGED_FIELDS,
  },
  returns: KEY_RECORD,
  run: (tx, input) => {
    const options = ringOptions(input)
    const existing = tx.get(RING, input.name)
    if (!existing) {
      checkDerivation(options)
      return showKey(tx, createRing(tx, options, managedRef(input)))
    }
    if (!tx.call.byPath && differs(existing, options))
      throw alreadyExists(`name: a key named ${input.name} already exists with other settings`)
    tx.warn(`name: a key named ${input.name} already exists and was not changed`)
    return showKey(tx, existing)
  },
})

/** Settings that {@link configureKey} can change count as different only if this call sets them to another value than the default. */
function differs(ring: Ring, options: Omit<RingOptions, 'id'>): boolean {
  const { type, derived, convergent_encryption, key_size, exportable, allow_plaintext_backup, auto_rotate_period } = options
  return (
    ring.type !== type ||
    ring.derived !== derived ||
    ring.convergent_encryption !== convergent_encryption ||
    ring.key_size !== key_size ||
    (exportable && !ring.exportable) ||
    (allow_plaintext_backup && !ring.allow_plaintext_backup) ||
    (auto_rotate_period !== 0 && ring.auto_rotate_period !== auto_rotate_period)
  )
}

interface CreateInput extends Omit<RingOptions, 'id' | 'type'> {
  readonly type: string
}

/** Returns the settings of a new key. @throws KernelError 400 if a parameter is invalid or does not fit another one */
export function ringOptions(input: CreateInput): Omit<RingOptions, 'id'> {
  const { name, type, derived, convergent_encryption, exportable, allow_plaintext_backup, auto_rotate_period } = input
  checkAutoRotate(auto_rotate_period)
  if (convergent_encryption && !derived) throw invalid('convergent_encryption: requires derived to be true')
  if (!isKeyType(type)) throw invalid(`type: unknown key type; must be one of ${KEY_TYPE_NAMES.join(', ')}`)
  checkRotation(type, auto_rotate_period)
  const key_size = keySize(type, keyType(type).keySizes, input.key_size)
  return { name, type, key_size, derived, convergent_encryption, exportable, allow_plaintext_backup, auto_rotate_period }
}

/** As in Vault, checked only if the call creates the key. @throws KernelError 400 if the type does not support the requested derivation */
export function checkDerivation({ type, derived, convergent_encryption }: Omit<RingOptions, 'id'>): void {
  const { canDerive, canConverge } = keyType(type)
  if (derived && !canDerive) throw invalid(`derived: keys of type ${type} cannot be derived`)
  if (convergent_encryption && !canConverge) throw invalid(`convergent_encryption: keys of type ${type} do not support it`)
}

function keySize(type: string, sizes: ReturnType<typeof keyType>['keySizes'], wanted: number): number {
  if (!sizes) {
    if (wanted !== 0) throw invalid(`key_size: keys of type ${type} have a fixed size`)
    return 0
  }
  if (wanted === 0) return sizes.default
  if (wanted < sizes.min || wanted > sizes.max) throw invalid(`key_size: must be between ${sizes.min} and ${sizes.max} bytes`)
  return wanted
}
