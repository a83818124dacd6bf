import { SLICE_BYTES } from '../../../core/base/steps.ts'
import { operation } from '../../../core/contract/operation.ts'
import type { HashName } from '../../../core/crypto/backend.ts'
import { f } from '../../../core/field/fields.ts'
import { plainHash } from '../hashes.ts'

/** @throws KernelError 400 if the hash function is unknown. sha1 is not available here. */
export const hash = operation({
  kind: 'read',
  verb: 'POST',
  path: '/hash(/:algorithm)',
  summary: 'Hashes data, without a key.',
  fields: {
    input: f.bytes('The data to hash; may be empty.'),
    algorithm: f
      .word<Exclude<HashName, 'sha1'>>('The hash function: sha2-224 to sha2-512, or sha3-224 to sha3-512.')
      .default('sha2-256'),
    format: f.oneOf(['hex', 'base64'], 'The encoding of the bytes in calls by path. Typed calls return bytes.').default('hex'),
  },
  returns: { sum: f.formattedBytes('The hash of the input.') },
  run: (tx, { input, algorithm }) => {
    const hash = tx.env.crypto.hash(plainHash(algorithm))
    if (input.length <= SLICE_BYTES) return { sum: hash.digest(input) }
    // `tx.steps` wipes its result when the request ends, so return a copy.
    return { sum: tx.steps('hash', () => hash.digestSteps(input)).slice() }
  },
})
