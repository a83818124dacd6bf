import { alreadyExists, invalid } from '../../../core/base/errors.ts'
import { operation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { isName } from '../../../core/field/coercion.ts'
import { f } from '../../../core/field/fields.ts'
import { readArchive } from '../archive/read-archive.ts'
import { type ValidatedArchive, validateArchive } from '../archive/validate-archive.ts'
import { RING, type Ring, rotationDue } from '../ring.ts'
import { newRingId } from '../ring-keys.ts'
import { dropKeysLater, storeKeys } from '../wiping.ts'

/**
 * @throws KernelError 400 if the backup is malformed, damaged or inconsistent, if a key with this name exists, or if the option `fips`
 *   excludes the key type. With `force`, an existing key is replaced instead.
 */
export const restoreKey = operation({
  kind: 'write',
  verb: 'POST',
  path: '/restore(/:name)',
  forwardable: true,
  summary: 'Creates a key from a backup of strongroom, OpenBao or Vault. The backup is validated like any other input.',
  fields: {
    // In a call by path, only the path can name the key, as in Vault: a name in the body is ignored.
    name: { ...f.name('The name of the key. The default is the name in the backup.').optional(), coerce: () => undefined },
    backup: f.text('The backup, as the backup operation returned it.'),
    force: f.bool('Whether to replace an existing key of that name completely.').default(false),
  },
  returns: {},
  run: (tx, { name: given, backup, force }) => {
    if (backup === '') throw invalid('backup: is required')
    // Reruns of the transaction reuse the result, so that the backup is read and validated only once.
    const archive = tx.steps('archive', () => readArchive(backup))
    const name = given ?? archive.name
    if (!isName(name)) throw invalid('backup: contains an invalid key name; set name to another one')
    const existing = tx.get(RING, name)
    if (existing && !force) throw alreadyExists(`name: a key named ${name} already exists; force replaces it`)
    const { env, now } = tx
    storeRestored(
      tx,
      name,
      existing,
      tx.steps('validated', () => validateArchive(archive, env, now)),
    )
    return undefined
  },
})

function storeRestored(tx: Tx, name: string, existing: Ring | undefined, { ring, materials, warnings }: ValidatedArchive): void {
  const restored: Ring = { ...ring, id: newRingId(tx), name, restore_info: { time: tx.now, version: ring.latest_version } }
  if (existing) dropKeysLater(tx, existing)
  storeKeys(tx, restored, materials)
  tx.put(RING, name, restored)
  tx.due('rotation', name, { from: existing && rotationDue(existing), to: rotationDue(restored) })
  tx.event('key.restored', { name, key_type: restored.type, version: restored.latest_version })
  for (const warning of warnings) tx.warn(warning)
}
