/** Rules for the items of encrypt, decrypt and rewrap, as in Vault. */
import { decodeBase64, decodeBase64Shared, decodeBase64Steps, encodeBase64Shared, LONG_BASE64 } from '../../core/base/base64.ts'
import { EMPTY } from '../../core/base/bytes.ts'
import { invalid, KernelError } from '../../core/base/errors.ts'
import { isSteps, type Steps, type StepsOutcome } from '../../core/base/steps.ts'
import { texts } from '../../core/base/texts.ts'
import type { Items } from '../../core/contract/operation.ts'
import type { Fields } from '../../core/field/field.ts'
import { f } from '../../core/field/fields.ts'
import type { Derivation, Encryptor, KeyType, OpenJob } from './key-types/key-type.ts'
import type { RingKeys } from './ring-keys.ts'
import { formatVersioned, locateBody, type TextForm } from './text.ts'
import type { OffloadItem } from './thread/offload-item.ts'
import { consumingVersion } from './versions.ts'

const NONCE_BYTES = 12

export const ASSOCIATED_DATA = f
  .bytes('Data that is authenticated but not stored; decryption needs the same bytes. Only for AEAD keys.')
  .default(EMPTY)

export const CONTEXT = f
  .bytes('The context from which the key of this call is derived. Required for derived keys, ignored for others.')
  .default(EMPTY)

export const NONCE_FIELD = f.bytes('Exactly 12 bytes, only for convergent keys of version 1.').optional()

export interface ItemParameters {
  readonly associated_data: Uint8Array
  readonly context: Uint8Array
  readonly nonce: Uint8Array | undefined
}

/** Refuses a batch in which only some items have a context, because that is a mistake. @throws KernelError 400 */
export function checkContexts<I extends Fields & { readonly context: unknown }>(items: Items<I>): void {
  const first = items.gives(0, 'context')
  for (let index = 1; index < items.all.length; index++) {
    if (items.gives(index, 'context') !== first) throw invalid('context: must be set in all items of batch_input or in none')
  }
}

/** @throws KernelError 400 if keys of this type do not encrypt */
export function encryptorOf(keys: RingKeys): Encryptor {
  const { encryptor } = keys.type
  if (!encryptor) throw invalid(`name: keys of type ${keys.ring.type} do not encrypt or decrypt`)
  return encryptor
}

/** Checks the parameters of one item for this version. @throws KernelError 400 */
export function checkItem(keys: RingKeys, encryptor: Encryptor, version: number, item: ItemParameters): Derivation | undefined {
  if (!encryptor.aead && item.associated_data.length > 0) throw invalid('associated_data: keys of this type do not accept it')
  const derivation = keys.derivation(version, item.context)
  if (item.nonce !== undefined) {
    if (item.nonce.length !== NONCE_BYTES) throw invalid(`nonce: must be exactly ${NONCE_BYTES} bytes`)
    if (derivation?.convergent !== 1) throw invalid('nonce: must be omitted, because this key creates its own nonces')
  }
  return derivation
}

/** One item to decrypt. All checks have passed except authentication, which is part of the decryption. */
export interface DecryptionItem extends OffloadItem {
  readonly version: number
  /** The base64 text, to be decoded later; empty if `sealed` is set. */
  readonly body: string
  /** The decoded body; undefined if `body` is decoded later. */
  readonly sealed: Uint8Array | undefined
  readonly associatedData: Uint8Array
  readonly derivation: Derivation | undefined
  readonly nonce: Uint8Array | undefined
  readonly sync: true | undefined
}

/** @throws KernelError 400 for every error of the item except failed authentication, which only decryption reveals */
export function checkDecryption(keys: RingKeys, ciphertext: string, item: ItemParameters): DecryptionItem {
  const { form, type } = keys
  if (ciphertext === '') throw invalid('ciphertext: is required')
  const encryptor = encryptorOf(keys)
  const { version: parsed, at } = locateBody(form, ciphertext, 'ciphertext')
  const version = consumingVersion(keys.ring, parsed === 0 ? 1 : parsed, 'ciphertext')
  const derivation = checkItem(keys, encryptor, version, item)
  const key = keys.version(version)
  // Do not decode here if a worker thread will decode the text, or if the text is so long that decoding it at once would block the event
  // loop.
  const decodeLater = !type.isManaged && (ciphertext.length - at > LONG_BASE64 || keys.workers !== undefined)
  const body = decodeLater ? ciphertext.slice(at) : ''
  const sealed = decodeLater ? undefined : decodeBody(type, ciphertext, at)
  const { associated_data: associatedData, nonce } = item
  return { version, key, derivation, body, sealed, associatedData, nonce, sync: keys.sync }
}

/** An external key manager may keep its input, so the input gets a buffer of its own. All other keys use a shared buffer. */
const decodeBody = ({ isManaged }: KeyType, ciphertext: string, at: number): Uint8Array =>
  isManaged ? decodeBase64(ciphertext.slice(at), 'ciphertext') : decodeBase64Shared(ciphertext, 'ciphertext', at)

export function decryptItem(keys: RingKeys, opening: DecryptionItem): StepsOutcome<Uint8Array> {
  const { body, sealed } = opening
  if (!sealed && body.length > LONG_BASE64) return decryptInSteps(keys, opening)
  const bytes = sealed ?? decodeBase64Shared(body, 'ciphertext')
  const outcome = decryptBytes(keys, opening, bytes)
  if (outcome instanceof Promise) return outcome.then(requireAuthentic)
  if (isSteps(outcome)) return decryptThenReuse(outcome, bytes)
  texts.release(bytes)
  return requireAuthentic(outcome)
}

function* decryptThenReuse(steps: Steps<Uint8Array | undefined>, sealed: Uint8Array): Steps<Uint8Array> {
  const plaintext = yield* steps
  texts.release(sealed)
  return requireAuthentic(plaintext)
}

/** Passes the item itself if it has the decoded body, so that the usual call allocates no second object. */
function decryptBytes(keys: RingKeys, opening: DecryptionItem, sealed: Uint8Array): DecryptionOutcome {
  const job = opening.sealed ? (opening as OpenJob) : { ...opening, sealed }
  return encryptorOf(keys).open(keys.env, opening.key, job)
}

type DecryptionOutcome = StepsOutcome<Uint8Array | undefined>

function* decryptInSteps(keys: RingKeys, opening: DecryptionItem): Steps<Uint8Array> {
  const sealed = yield* decodeBase64Steps(opening.body, 'ciphertext')
  const outcome = decryptBytes(keys, opening, sealed) as Uint8Array | undefined | Steps<Uint8Array | undefined>
  return requireAuthentic(isSteps(outcome) ? yield* outcome : outcome)
}

/** One message for all causes: a wrong key, context or associated data, and a changed bit. */
function requireAuthentic(plaintext: Uint8Array | undefined): Uint8Array {
  if (plaintext) return plaintext
  throw new KernelError('ERR_DECRYPTION_FAILED', 'ciphertext: message authentication failed')
}

export interface EncryptedItem {
  readonly ciphertext: string
  readonly key_version: number
}

/** @param body The function takes ownership of the bytes and may reuse their buffer, so the caller must not use them afterwards. */
export function sealedResult(form: TextForm, version: number, body: Uint8Array): EncryptedItem {
  const text = encodeBase64Shared(body)
  texts.release(body)
  return sealedText(form, version, text)
}

export const sealedText = (form: TextForm, version: number, body: string): EncryptedItem => ({
  ciphertext: formatVersioned(form, version, body),
  key_version: version,
})
