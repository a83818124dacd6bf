import { invalid } from '../../../core/base/errors.ts'
import { batchOperation } from '../../../core/contract/operation.ts'
import type { HashName } from '../../../core/crypto/backend.ts'
import { f } from '../../../core/field/fields.ts'
import { hmacHash } from '../hashes.ts'
import { makeMac } from '../macs.ts'
import { RingKeys, ringNamed } from '../ring-keys.ts'
import { producingVersion } from '../versions.ts'

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
