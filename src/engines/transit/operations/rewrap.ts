/** Unlike Vault's, this operation accepts associated data. */
import { isSteps, mapOutcome, type Steps, type StepsOutcome } from '../../../core/base/steps.ts'
import { batchOperation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import {
  ASSOCIATED_DATA,
  CONTEXT,
  checkContexts,
  checkDecryption,
  checkItem,
  decryptItem,
  encryptorOf,
  NONCE_FIELD,
  sealedResult,
  sealedText,
} from '../item-rules.ts'
import { ringInUse } from '../ring-keys.ts'
import { producingVersion } from '../versions.ts'

/**
 * @throws KernelError 400 if the key does not exist, if the key is soft-deleted, if keys of this type do not decrypt, if the key is derived
 *   and `context` is missing or longer than 131,072 bytes, if `ciphertext` is malformed or names a version that does not exist or is below
 *   `min_decryption_version`, if only the public key of the version was imported, if `associated_data` or `nonce` is given and the key does
 *   not accept this parameter, if authentication fails, if the key has no version `key_version`, if `key_version` is below
 *   `min_encryption_version` or `min_decryption_version`, or if the key version has reached the limit of 2^32 encryptions with random
 *   nonces. Authentication fails if the key, the context or the associated data is wrong, or if the ciphertext was changed.
 * @throws KernelError 502 if the external system that keeps a managed key refuses the call, fails, or cannot be reached.
 * @example
 * await kernel.transit.rotateKey({ name: 'orders' })
 * const { ciphertext } = await kernel.transit.rewrap({ name: 'orders', ciphertext: before.ciphertext })
 */
export const rewrap = batchOperation({
  kind: 'read',
  verb: 'POST',
  path: '/rewrap/:name',
  summary: 'Decrypts a ciphertext and encrypts it under the latest version, without returning the plaintext.',
  fields: {
    name: f.name('The name of the key.'),
    keep_current: f
      .bool('A ciphertext that has the requested version already is returned unchanged, without decrypting it.')
      .optional(),
  },
  /**
   * @throws KernelError 400 if `batch_input` is empty, if some items have a context and others have none, or if the key does not exist.
   *   These errors refuse the whole batch. Every other 400 of `rewrap` refuses only one item and is in the result of that item.
   * @throws KernelError 502 if the external system that keeps a managed key refuses the call, fails, or cannot be reached.
   */
  item: {
    ciphertext: f.text('The ciphertext that encrypt returned.').needed(''),
    associated_data: ASSOCIATED_DATA,
    context: CONTEXT,
    key_version: f.strictInt('The version to encrypt under; 0 means the latest.').default(0),
    nonce: NONCE_FIELD,
  },
  itemTypes: 'loose',
  itemNeeds: [],
  returns: { ciphertext: f.text('`<prefix>:v<version>:<base64>`'), key_version: f.int('The key version that was used.') },
  failedItems: 'ignored',
  failedItem: {},
  open: (tx, { name, keep_current }, items) => {
    if (items.batch) checkContexts(items)
    return { keys: ringInUse(tx, name, 'reseal'), keep: keep_current }
  },
  cost: ({ keys: { type, env } }) => {
    const { decrypt, encrypt } = type.costs(env)
    return decrypt + encrypt
  },
  admit: ({ keys, keep }, item) => {
    const { env } = keys
    const decryption = checkDecryption(keys, item.ciphertext, item)
    const version = producingVersion(keys.ring, item.key_version)
    if (keep === true && decryption.version === version) return () => ({ ciphertext: item.ciphertext, key_version: version })
    const encryptor = encryptorOf(keys)
    const derivation = checkItem(keys, encryptor, version, { ...item, nonce: undefined })
    const key = keys.sealing(version, derivation)
    const rewrapped = keys.type.isManaged ? rewrapManaged : rewrapHere
    const seal = (plaintext: Uint8Array) =>
      encryptor.seal(env, key, { plaintext, associatedData: item.associated_data, derivation, nonce: item.nonce })
    const work = keys.work(
      decryption,
      (given) => rewrapped(() => decryptItem(keys, given), seal),
      (body) => sealedResult(keys.form, version, body),
    )
    if (!keys.workers) return work
    const show = (body: string) => sealedText(keys.form, version, body)
    return keys.workers.offload(work, decryption, show, { key, derivation })
  },
})

type Open = () => StepsOutcome<Uint8Array>
type Seal = (plaintext: Uint8Array) => StepsOutcome<Uint8Array>

function rewrapHere(open: Open, seal: Seal): Uint8Array | Steps<Uint8Array> {
  const plaintext = open() as Uint8Array | Steps<Uint8Array>
  if (isSteps(plaintext)) return rewrapInSteps(plaintext, seal)
  return mapOutcome(seal(plaintext) as Uint8Array | Steps<Uint8Array>, (body) => {
    plaintext.fill(0)
    return body
  })
}

function* rewrapInSteps(decryption: Steps<Uint8Array>, seal: Seal): Steps<Uint8Array> {
  const plaintext = yield* decryption
  try {
    const body = seal(plaintext) as Uint8Array | Steps<Uint8Array>
    return isSteps(body) ? yield* body : body
  } finally {
    plaintext.fill(0)
  }
}

async function rewrapManaged(open: Open, seal: Seal): Promise<Uint8Array> {
  const plaintext = (await open()) as Uint8Array
  try {
    return (await seal(plaintext)) as Uint8Array
  } finally {
    plaintext.fill(0)
  }
}
