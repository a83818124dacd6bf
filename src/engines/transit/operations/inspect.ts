/** Reports what the text of a ciphertext contains. Vault and OpenBao have no such endpoint. */
import { invalid } from '../../../core/base/errors.ts'
import { batchOperation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { ringNamed } from '../ring-keys.ts'
import { formOf, parseVersioned } from '../text.ts'

/**
 * @throws KernelError 400 if the key does not exist, if `ciphertext` does not have the form of a ciphertext of this key, or if `ciphertext`
 *   names a version above the latest version of the key.
 * @example
 * await kernel.transit.rotateKey({ name: 'orders' })
 * const { key_version, stale } = await kernel.transit.inspect({ name: 'orders', ciphertext })
 */
export const inspect = batchOperation({
  kind: 'read',
  verb: 'POST',
  path: '/inspect/:name',
  summary: 'Shows the version of a ciphertext and whether a newer version exists, without decrypting it or loading its key.',
  fields: { name: f.name('The name of the key.') },
  /**
   * @throws KernelError 400 if `batch_input` is empty, or if the key does not exist. These errors refuse the whole batch. Every other 400
   *   of `inspect` refuses only one item and is in the result of that item.
   */
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
