import { invalid } from '../../../core/base/errors.ts'
import type { StepsOutcome } from '../../../core/base/steps.ts'
import { batchOperation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import {
  ASSOCIATED_DATA,
  CONTEXT,
  checkContexts,
  checkDecryption,
  type DecryptionItem,
  decryptItem,
  encryptorOf,
  NONCE_FIELD,
} from '../item-rules.ts'
import { type RingKeys, ringInUse } from '../ring-keys.ts'
import { checkPadding, PADDING_SCHEME } from './padding.ts'

interface DecryptJob {
  readonly keys: RingKeys
  readonly decryption: DecryptionItem
}

const open = ({ keys, decryption }: DecryptJob): StepsOutcome<Uint8Array> => decryptItem(keys, decryption)

const show = (plaintext: Uint8Array) => ({ plaintext })

/**
 * @throws KernelError 400 if the key does not exist, if the key is soft-deleted, if keys of this type do not decrypt, if the key is derived
 *   and `context` is missing or longer than 131,072 bytes, if `ciphertext` is malformed or names a version that does not exist or is below
 *   `min_decryption_version`, if only the public key of the version was imported, if `associated_data`, `nonce` or `padding_scheme` is
 *   given and the key does not accept this parameter, or if authentication fails. Authentication fails if the key, the context or the
 *   associated data is wrong, or if the ciphertext was changed. The code is then `ERR_DECRYPTION_FAILED`.
 * @throws KernelError 502 if the external system that keeps a managed key refuses the call, fails, or cannot be reached.
 * @example
 * const { plaintext } = await kernel.transit.decrypt({ name: 'orders', ciphertext })
 * const card = new TextDecoder().decode(plaintext)
 */
export const decrypt = batchOperation({
  kind: 'read',
  verb: 'POST',
  path: '/decrypt/:name',
  summary: 'Decrypts a ciphertext of a named key.',
  fields: { name: f.name('The name of the key.') },
  /**
   * @throws KernelError 400 if `batch_input` is empty, if some items have a context and others have none, or if the key does not exist.
   *   These errors refuse the whole batch. Every other 400 of `decrypt` refuses only one item and is in the result of that item.
   * @throws KernelError 502 if the external system that keeps a managed key refuses the call, fails, or cannot be reached.
   * @example
   * const { batch_results } = await kernel.transit.decryptBatch({
   *   name: 'orders',
   *   batch_input: rows.map(({ id, card }) => ({ ciphertext: card, reference: id })),
   * })
   * // An item that cannot be decrypted has an error in its place.
   * const lost = batch_results.filter((item) => item.error).map((item) => item.reference)
   */
  item: {
    ciphertext: f.text('The ciphertext that encrypt returned.').needed(''),
    associated_data: ASSOCIATED_DATA,
    context: CONTEXT,
    nonce: NONCE_FIELD,
    padding_scheme: PADDING_SCHEME,
  },
  itemTypes: 'strict',
  itemNeeds: [],
  returns: { plaintext: f.bytes('The decrypted data.') },
  failedItems: 'counted',
  failedItem: { plaintext: '' },
  open: (tx, { name }, items) => {
    if (items.batch) checkContexts(items)
    if (!items.batch && !items.gives(0, 'ciphertext')) throw invalid('ciphertext: is required')
    return ringInUse(tx, name, 'open')
  },
  cost: ({ type, env }) => type.costs(env).decrypt,
  admit: (keys, item) => {
    checkPadding(encryptorOf(keys), item.padding_scheme)
    const decryption = checkDecryption(keys, item.ciphertext, item)
    const work = keys.work({ keys, decryption }, open, show)
    return keys.workers ? keys.workers.offload(work, decryption, show) : work
  },
})
