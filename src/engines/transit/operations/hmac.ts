import { invalid } from '../../../core/base/errors.ts'
import { batchOperation } from '../../../core/contract/operation.ts'
import type { HashName } from '../../../core/crypto/backend.ts'
import { f } from '../../../core/field/fields.ts'
import { hmacHash } from '../hashes.ts'
import { makeMac } from '../macs.ts'
import { RingKeys, ringNamed } from '../ring-keys.ts'
import { producingVersion } from '../versions.ts'

/**
 * @throws KernelError 400 if the key does not exist, if the key is soft-deleted, if the key is a managed key, if `hash_algorithm` is
 *   unknown, if the key has no version `key_version`, or if `key_version` is below `min_encryption_version` or `min_decryption_version`.
 * @example
 * // The HMAC of an address is always the same, so a column with it can be searched.
 * const { hmac } = await kernel.transit.hmac({ name: 'orders', input: new TextEncoder().encode('ada@example.org') })
 */
export const hmac = batchOperation({
  kind: 'read',
  verb: 'POST',
  path: '/hmac/:name(/:hash_algorithm)',
  summary: 'Computes an HMAC. Every version of a key has its own HMAC key.',
  fields: {
    name: f.name('The name of the key.'),
    key_version: f.int('The key version to use; 0 means the latest.').default(0),
    hash_algorithm: f
      .word<HashName>('The hash function: sha1, sha2-224 to sha2-512, or sha3-224 to sha3-512. Default: sha2-256.')
      .optional(),
    algorithm: f.word<HashName>('The former name of hash_algorithm.').optional(),
  },
  /**
   * @throws KernelError 400 if `batch_input` is empty, if the key does not exist, if the key is soft-deleted, if `hash_algorithm` is
   *   unknown, if the key has no version `key_version`, or if `key_version` is below `min_encryption_version` or `min_decryption_version`.
   *   These errors refuse the whole batch. Every other 400 of `hmac` refuses only one item and is in the result of that item.
   */
  item: { input: f.bytes('The data to authenticate.').lent().needed() },
  itemTypes: 'texts',
  itemNeeds: [],
  returns: { hmac: f.text('`<prefix>:v<version>:<base64>`') },
  failedItems: 'ignored',
  failedItem: {},
  open: (tx, { name, key_version, hash_algorithm, algorithm }) => {
    const ring = ringNamed(tx, name)
    const version = producingVersion(ring, key_version)
    const hash = hmacHash(hash_algorithm, algorithm)
    return { env: tx.env, keys: new RingKeys(tx, ring, 'mac', { hash }), version, hash }
  },
  cost: () => 6,
  admit: ({ env, keys, version, hash }, { input }) => {
    if (input === undefined) throw invalid('input: is required')
    return makeMac(env, keys, version, hash, input)
  },
})
