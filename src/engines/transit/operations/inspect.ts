/** Reports what the text of a ciphertext contains. Vault and OpenBao have no such endpoint. */
import { invalid } from '../../../core/base/errors.ts'
import { batchOperation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { ringNamed } from '../ring-keys.ts'
import { formOf, parseVersioned } from '../text.ts'

export const inspect = batchOperation({
  kind: 'read',
  verb: 'POST',
  path: '/inspect/:name',
  summary: 'Shows the version of a ciphertext and whether a newer version exists, without decrypting it or loading its key.',
  fields: { name: f.name('The name of the key.') },
  item: { ciphertext: f.text('A ciphertext, a signature or an HMAC.').needed('') },
  itemTypes: 'loose',
  itemNeeds: [],
  returns: {
    prefix: f.text('The text before the version number: `<prefix>:v`, or the beginning of the version template of the key.'),
    key_version: f.int('The key version that produced the ciphertext, signature or HMAC.'),
    latest_version: f.int('The latest version of the key.'),
    stale: f.bool('Whether a newer key version exists.'),
    usable: f.bool('Whether the key version exists and min_decryption_version allows its use.'),
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
    if (version < 0 || version > latest_version)
      throw invalid('ciphertext: this key has no version with the number in the ciphertext')
    return () => ({
      prefix: form.head,
      key_version: version,
      latest_version,
      stale: version < latest_version,
      usable: version >= min_decryption_version && ring.versions[version] !== undefined,
    })
  },
})
