/** Reading, listing and deleting keys (source: behaviour of the originals). */
import { EMPTY } from '../../../core/bytes.ts'
import { invalid } from '../../../core/errors.ts'
import { f } from '../../../core/operation/fields.ts'
import { operation } from '../../../core/operation/operation.ts'
import type { Tx } from '../../../core/transaction/tx.ts'
import { KEY_RECORD, showKey } from '../key-view.ts'
import { MATERIAL, RING, rotationDue } from '../ring.ts'
import { ringNamed } from '../ring-keys.ts'

export const readKey = operation({
  kind: 'read',
  verb: 'GET',
  path: '/keys/:name',
  summary: 'Shows a key: its settings, versions and public keys. Never key material.',
  fields: {
    name: f.name('The name of the key.'),
    context: f.bytes('With a derived signing key: whose public keys are shown.').default(EMPTY),
  },
  returns: KEY_RECORD,
  run: (tx, { name, context }) => {
    const ring = tx.get(RING, name)
    return ring && showKey(tx, ring, context)
  },
})

export const listKeys = operation({
  kind: 'read',
  verb: 'LIST',
  path: '/keys',
  summary: 'Lists the names of all keys, in byte order.',
  fields: {
    after: f.text('List names behind this one, which need not exist.').default(''),
    limit: f.int('The most names; 0 or less is all.').default(0),
  },
  returns: { keys: f.json<readonly string[]>('Names.', { type: 'array' }) },
  run: (tx, { after, limit }) => ({
    keys: tx.list(RING, { ...(after === '' ? {} : { after }), ...(limit > 0 ? { limit } : {}) }),
  }),
})

export const deleteKey = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/keys/:name',
  summary: 'Deletes a key and all its versions for good. Needs deletion_allowed.',
  fields: { name: f.name('The name of the key.') },
  returns: {},
  run: (tx, { name }) => {
    const ring = ringNamed(tx, name)
    if (!ring.deletion_allowed) throw invalid('deletion_allowed: must be set to true on this key before it can be deleted')
    tx.delete(RING, name)
    tx.due('rotation', name, { from: rotationDue(ring) })
    tx.forget(ring.id)
    wipeVersions(tx, ring.id, ring.latest_version)
    return undefined
  },
})

/** Key records removed per commit, well below what any storage takes. */
const VERSIONS_PER_COMMIT = 32

/**
 * Removes the key records of a ring that is gone, from `latest` down. What one commit does not reach is due at once as
 * housekeeping, under `<ring id>/<next version>`.
 */
export function wipeVersions(tx: Tx, ringId: string, latest: number): void {
  const rest = Math.max(0, latest - VERSIONS_PER_COMMIT)
  for (let version = latest; version > rest; version--) tx.deleteSecret(MATERIAL, ringId, version)
  if (rest > 0) tx.due('housekeeping', `${ringId}/${rest}`, { to: tx.now })
}
