/** POST restore(/:name) (source: behaviour of the originals). */
import { alreadyExists, invalid } from '../../../core/base/errors.ts'
import { operation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { isName } from '../../../core/field/coercion.ts'
import { f } from '../../../core/field/fields.ts'
import { readArchive } from '../archive/read-archive.ts'
import { type ValidatedArchive, validateArchive } from '../archive/validate-archive.ts'
import { checkFips } from '../key-types/index.ts'
import { RING, type Ring, rotationDue } from '../ring.ts'
import { newRingId } from '../ring-keys.ts'
import { dropKeysLater, storeKeys } from '../wiping.ts'

export const restoreKey = operation({
  kind: 'write',
  verb: 'POST',
  path: '/restore(/:name)',
  forwardable: true,
  summary: 'Makes a key of a backup, of this service or of either original. The backup is judged like any other input.',
  fields: {
    // On the wire the name comes with the path only, as in the originals.
    name: { ...f.name('The name of the key; that in the backup when absent.').optional(), coerce: () => undefined },
    backup: f.text('As backup returned it.'),
    force: f.bool('An existing key of that name is replaced as a whole.').default(false),
  },
  returns: {},
  run: (tx, { name: given, backup, force }) => {
    if (backup === '') throw invalid('backup: is required')
    // Read and validated once, however often the run is repeated.
    const archive = tx.steps('archive', () => readArchive(backup))
    const name = given ?? archive.name
    if (!isName(name)) throw invalid('backup: the name in it is none a key may have; give another one')
    const existing = tx.get(RING, name)
    if (existing && !force) throw alreadyExists(`name: a key named ${name} exists already; force replaces it`)
    const { env, now } = tx
    storeRestored(
      tx,
      name,
      existing,
      tx.steps('judged', () => validateArchive(archive, env, now)),
    )
    return undefined
  },
})

function storeRestored(tx: Tx, name: string, existing: Ring | undefined, { ring, materials, warnings }: ValidatedArchive): void {
  const restored: Ring = { ...ring, id: newRingId(tx), name, restore_info: { time: tx.now, version: ring.latest_version } }
  checkFips(tx.env, ring.type)
  if (existing) dropKeysLater(tx, existing)
  storeKeys(tx, restored, materials)
  tx.put(RING, name, restored)
  tx.due('rotation', name, { from: existing && rotationDue(existing), to: rotationDue(restored) })
  tx.event('key.restored', { name, key_type: restored.type, version: restored.latest_version })
  for (const warning of warnings) tx.warn(warning)
}
