import { EMPTY } from '../../../core/base/bytes.ts'
import { invalid } from '../../../core/base/errors.ts'
import { PAGE_FIELDS, pageOptions } from '../../../core/contract/list-page.ts'
import { operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { showEncryptions } from '../encryptions.ts'
import { KEY_RECORD, showKey } from '../key-view.ts'
import { RING, rotationDue } from '../ring.ts'
import { ringNamed } from '../ring-keys.ts'
import { dropKeys } from '../wiping.ts'

/**
 * @throws KernelError 400 if the context is longer than 131,072 bytes.
 * @throws KernelError 404 if the key does not exist.
 * @example
 * const { type, latest_version } = await kernel.transit.readKey({ name: 'orders' })
 */
export const readKey = operation({
  kind: 'read',
  verb: 'GET',
  path: '/keys/:name',
  summary: 'Shows the settings, versions and public keys of a key. Key material is never shown.',
  fields: {
    name: f.name('The name of the key.'),
    context: f.bytes('For a derived signing key: the context whose public keys are shown.').default(EMPTY),
  },
  returns: KEY_RECORD,
  run: (tx, { name, context }) => {
    const ring = tx.get(RING, name)
    if (!ring) return undefined
    const encryptions = showEncryptions(tx, ring)
    return encryptions ? { ...showKey(tx, ring, context), encryptions } : showKey(tx, ring, context)
  },
})

/**
 * @throws no errors of its own.
 * @example
 * const { keys } = await kernel.transit.listKeys({ limit: 100 })
 */
export const listKeys = operation({
  kind: 'read',
  verb: 'LIST',
  path: '/keys',
  summary: 'Lists the names of all keys, in byte order.',
  fields: PAGE_FIELDS,
  returns: { keys: f.json<readonly string[]>('The names of the keys.', { type: 'array' }) },
  run: (tx, page) => ({ keys: tx.list(RING, pageOptions(page)) }),
})

/**
 * @throws KernelError 400 if the key does not exist, or if the setting `deletion_allowed` of the key is false.
 * @example
 * await kernel.transit.configureKey({ name: 'orders', deletion_allowed: true })
 * await kernel.transit.deleteKey({ name: 'orders' })
 */
export const deleteKey = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/keys/:name',
  forwardable: true,
  summary: 'Deletes a key with all its versions permanently. Requires deletion_allowed.',
  fields: { name: f.name('The name of the key.') },
  returns: {},
  run: (tx, { name }) => {
    const ring = ringNamed(tx, name)
    if (!ring.deletion_allowed) throw invalid('deletion_allowed: must be set to true on this key before it can be deleted')
    tx.delete(RING, name)
    tx.due('rotation', name, { from: rotationDue(ring) })
    dropKeys(tx, ring)
    tx.event('key.deleted', { name })
    return undefined
  },
})
