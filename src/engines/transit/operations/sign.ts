import { EMPTY } from '../../../core/base/bytes.ts'
import { invalid } from '../../../core/base/errors.ts'
import { batchOperation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { CONTEXT } from '../item-rules.ts'
import type { Signature } from '../key-types/key-type.ts'
import { signJob } from '../key-types/sign-job.ts'
import { ringInUse } from '../ring-keys.ts'
import { checkNone, encodeSignature, SIGNING_FIELDS, signerOf, signingRules } from '../signing.ts'
import { formatVersioned } from '../text.ts'
import { producingVersion } from '../versions.ts'

interface SignedItem {
  readonly signature: string
  readonly key_version: number
  readonly public_key?: Uint8Array
}

/**
 * @throws KernelError 400 if the key does not exist, if the key is soft-deleted, if keys of this type do not sign, if `hash_algorithm`,
 *   `marshaling_algorithm`, `signature_algorithm` or `salt_length` is invalid or not supported for the key, if `prehashed` is set and
 *   `input` does not have the length of a digest of the hash, if the key has no version `key_version`, if `key_version` is below
 *   `min_encryption_version` or `min_decryption_version`, if the key is derived and `context` is missing or longer than 131,072 bytes, or
 *   if only the public key of the version was imported.
 * @throws KernelError 502 if the external system that keeps a managed key refuses the call, fails, or cannot be reached.
 * @example
 * const { signature } = await kernel.transit.sign({ name: 'receipts', input })
 */
export const sign = batchOperation({
  kind: 'read',
  verb: 'POST',
  path: '/sign/:name(/:hash_algorithm)',
  summary: 'Signs data with a named key.',
  fields: { ...SIGNING_FIELDS, key_version: f.int('The key version to use; 0 means the latest.').default(0) },
  /**
   * @throws KernelError 400 if `batch_input` is empty, if the key does not exist, if keys of this type do not sign, or if `hash_algorithm`,
   *   `marshaling_algorithm` or `salt_length` is invalid. These errors refuse the whole batch. Every other 400 of `sign` refuses only one
   *   item and is in the result of that item.
   * @throws KernelError 502 if the external system that keeps a managed key refuses the call, fails, or cannot be reached.
   */
  item: { input: f.bytes('The data to sign, or its digest if prehashed is set.').lent().optional(), context: CONTEXT },
  itemTypes: 'texts',
  itemNeeds: [],
  returns: {
    signature: f.text('`<prefix>:v<version>:<base64>`'),
    key_version: f.int('The key version that was used.'),
    public_key: f.bytes('Only for derived keys: the public key of the key that was derived with the context.').optional(),
  },
  failedItems: 'ignored',
  failedItem: { key_version: 0 },
  renamed: { public_key: 'publickey' },
  open: (tx, input, { batch }) => {
    const rules = signingRules(input)
    const keys = ringInUse(tx, input.name, 'sign', { rules })
    const signer = signerOf(keys, 'signing')
    checkNone(rules)
    return { env: tx.env, keys, signer, rules, batch, version: input.key_version }
  },
  cost: ({ env, keys, rules }) => keys.type.costs(env, rules.prehashed).sign,
  admit: ({ env, keys, signer, rules, batch, version: requested }, { input, context }) => {
    if (input === undefined && batch) throw invalid('input: is required')
    const version = producingVersion(keys.ring, requested)
    const derivation = keys.derivation(version, context)
    const key = keys.version(version)
    const show = ({ bytes, publicKey }: Signature): SignedItem => {
      const signature = formatVersioned(keys.form, version, encodeSignature(rules, bytes))
      return publicKey ? { signature, key_version: version, public_key: publicKey } : { signature, key_version: version }
    }
    const job = signJob(rules, input ?? EMPTY, derivation, keys.sync)
    const work = keys.work(job, (given) => signer.sign(env, key, given), show)
    return keys.workers ? keys.workers.offload(work, { key, derivation, input: job.input }, show) : work
  },
})
