import { invalid, notFound } from '../../../core/base/errors.ts'
import type { StepsOutcome } from '../../../core/base/steps.ts'
import { batchOperation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { f } from '../../../core/field/fields.ts'
import {
  ASSOCIATED_DATA,
  CONTEXT,
  checkContexts,
  checkItem,
  type EncryptedItem,
  encryptorOf,
  NONCE_FIELD,
  sealedResult,
  sealedText,
} from '../item-rules.ts'
import type { SymmetricKeyType } from '../key-types/index.ts'
import { DEFAULT_KEY_TYPE, isKeyType, KEY_TYPE_NAMES, keyType } from '../key-types/index.ts'
import type { Encryptor, SealJob } from '../key-types/key-type.ts'
import type { VersionKey } from '../material.ts'
import { RING, type Ring } from '../ring.ts'
import { createRing, RingKeys } from '../ring-keys.ts'
import { producingVersion } from '../versions.ts'
import { ringOptions } from './create-key.ts'
import { keysConfig } from './keys-config.ts'
import { checkPadding, PADDING_SCHEME } from './padding.ts'

/**
 * @throws KernelError 400 if the key is soft-deleted, if keys of this type do not encrypt, if the key has no version `key_version`, if
 *   `key_version` is below `min_encryption_version` or `min_decryption_version`, if the key is derived and `context` is missing or longer
 *   than 131,072 bytes, if `associated_data`, `nonce` or `padding_scheme` is given and the key does not accept this parameter, if the key
 *   does not exist and the setting `disable_upsert` prevents its creation, if the key does not exist and `encrypt` cannot create keys of
 *   this `type`, or if the key version has reached the limit of 2^32 encryptions with random nonces.
 * @throws KernelError 502 if the external system that keeps a managed key refuses the call, fails, or cannot be reached.
 * @example
 * const { ciphertext } = await kernel.transit.encrypt({
 *   name: 'orders',
 *   plaintext: new TextEncoder().encode('4111 1111 1111 1111'),
 *   // Decryption requires the same value, so the ciphertext is useless in another row.
 *   associated_data: new TextEncoder().encode('order 42'),
 * })
 */
export const encrypt = batchOperation({
  kind: 'upsert',
  verb: 'POST',
  path: '/encrypt/:name',
  forwardable: true,
  summary: 'Encrypts data under a named key. A missing key is created, unless the mount disables that.',
  // If the key exists, policies must allow `update`, otherwise `create`. If `encrypt` may not create keys, `update` is enough for a missing
  // key too: the call then fails.
  exists: (tx, { name = '' }) => tx.get(RING, name) !== undefined || keysConfig(tx).disable_upsert,
  fields: {
    name: f.name('The name of the key.'),
    type: f
      .word<SymmetricKeyType>('The type of the new key, if this call creates the key. Must be a symmetric type.')
      .default(DEFAULT_KEY_TYPE),
    convergent_encryption: f
      .bool('Whether the new key is convergent, if this call creates the key. Requires a context.')
      .default(false),
  },
  /**
   * @throws KernelError 400 if `batch_input` is empty, if some items have a context and others have none, or if the key does not exist and
   *   cannot be created. These errors refuse the whole batch. Every other 400 of `encrypt` refuses only one item and is in the result of
   *   that item.
   * @throws KernelError 502 if the external system that keeps a managed key refuses the call, fails, or cannot be reached.
   * @example
   * const { batch_results } = await kernel.transit.encryptBatch({
   *   name: 'orders',
   *   batch_input: cards.map((card) => ({ plaintext: new TextEncoder().encode(card) })),
   * })
   * const ciphertexts = batch_results.map((item) => {
   *   if (item.error) throw item.error
   *   return item.ciphertext
   * })
   */
  item: {
    plaintext: f.bytes('The data to encrypt; may be empty.').lent(),
    associated_data: ASSOCIATED_DATA,
    context: CONTEXT,
    key_version: f.int('The key version to use; 0 means the latest.').default(0),
    nonce: NONCE_FIELD,
    padding_scheme: PADDING_SCHEME,
  },
  itemTypes: 'strict',
  itemNeeds: ['plaintext'],
  returns: { ciphertext: f.text('`<prefix>:v<version>:<base64>`'), key_version: f.int('The key version that was used.') },
  failedItems: 'counted',
  failedItem: {},
  open: (tx, input, items) => {
    if (items.batch) checkContexts(items)
    const ring = tx.get(RING, input.name) ?? upsert(tx, input, items.gives(0, 'context'))
    return new RingKeys(tx, ring, 'seal')
  },
  cost: ({ type, env }) => type.costs(env).encrypt,
  admit: (keys, item) => {
    const encryptor = encryptorOf(keys)
    checkPadding(encryptor, item.padding_scheme)
    const version = producingVersion(keys.ring, item.key_version)
    const derivation = checkItem(keys, encryptor, version, item)
    const key = keys.sealing(version, derivation)
    const { plaintext, associated_data: associatedData, nonce } = item
    const job = { plaintext, associatedData, derivation, nonce, sync: keys.sync, keys, encryptor, key, version }
    const work = keys.work(job, seal, show)
    if (!keys.workers) return work
    return keys.workers.offload(work, { ...job, input: plaintext }, (body: string) => sealedText(keys.form, version, body))
  },
})

interface EncryptJob extends SealJob {
  readonly keys: RingKeys
  readonly encryptor: Encryptor
  readonly key: VersionKey
  readonly version: number
}

const seal = (job: EncryptJob): StepsOutcome<Uint8Array> => job.encryptor.seal(job.keys.env, job.key, job)

const show = (body: Uint8Array, { keys, version }: EncryptJob): EncryptedItem => sealedResult(keys.form, version, body)

interface UpsertInput {
  readonly name: string
  readonly type: string
  readonly convergent_encryption: boolean
}

/** Creates a missing key. It is a derived key if the first item has a context. @throws KernelError 400 if no key may be created */
function upsert(tx: Tx, { name, type, convergent_encryption }: UpsertInput, derived: boolean): Ring {
  if (keysConfig(tx).disable_upsert) throw notFound(`name: there is no key named ${name}`, 400)
  if (!isKeyType(type) || !keyType(type).upsert) {
    const names = KEY_TYPE_NAMES.filter((known) => keyType(known).upsert)
    throw invalid(`type: encrypt creates only keys of the types ${names.join(', ')}`)
  }
  if (convergent_encryption && !derived) throw invalid('context: is required for convergent_encryption')
  const plain = { key_size: 0, exportable: false, allow_plaintext_backup: false, auto_rotate_period: 0 }
  const ring = createRing(tx, ringOptions({ name, type, derived, convergent_encryption, ...plain }))
  // Vault returns no warning here, so calls by path return none.
  if (!tx.call.byPath)
    tx.warn(`there was no key named ${name}, so this call created it; configureKeys({ disable_upsert: true }) prevents that`)
  return ring
}
