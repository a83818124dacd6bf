/** POST inspect/:name: what the text of a ciphertext tells. The originals have no such endpoint. */
import { invalid } from '../../../core/base/errors.ts'
import { batchOperation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { ringNamed } from '../ring-keys.ts'
import { formOf, parseVersioned } from '../text.ts'

export const inspect = batchOperation({
  kind: 'read',
  verb: 'POST',
  path: '/inspect/:name',
  summary: 'Tells the version of a ciphertext, and whether a newer one is there, without opening it or loading its key.',
  fields: { name: f.name('The name of the key.') },
  item: { ciphertext: f.text('As encrypt returned it; also a signature, or an HMAC.').needed('') },
  itemTypes: 'loose',
  itemNeeds: [],
  returns: {
    prefix: f.text('What stands before the number of the version: `<prefix>:v`, or the beginning of the template of the key.'),
    key_version: f.int('The version that made it.'),
    latest_version: f.int('The newest version of the key.'),
    stale: f.bool('A newer version is there.'),
    usable: f.bool('The version is there, and min_decryption_version admits it.'),
  },
  failedItems: 'ignored',
  failedItem: {},
  open: (tx, { name }) => {
    const ring = ringNamed(tx, name)
    return { ring, form: formOf(ring.version_template, tx.env.ciphertextPrefix) }
  },
  cost: () => 1,
  admit: ({ ring, form }, { ciphertext }) => {
    if (ciphertext === '') throw invalid('ciphertext: is required')
    const { version: named } = parseVersioned(form, ciphertext, 'ciphertext')
    const version = named === 0 ? 1 : named
    const { latest_version, min_decryption_version } = ring
    if (version < 0 || version > latest_version) throw invalid('ciphertext: its version is none of this key')
    return () => ({
      prefix: form.head,
      key_version: version,
      latest_version,
      stale: version < latest_version,
      usable: version >= min_decryption_version && ring.versions[version] !== undefined,
    })
  },
})
