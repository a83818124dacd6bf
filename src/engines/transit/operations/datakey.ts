import { invalid } from '../../../core/base/errors.ts'
import { isSteps, type Steps, type StepsOutcome } from '../../../core/base/steps.ts'
import { operation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { ALWAYS_SHORT } from '../../../core/crypto/backend.ts'
import { f } from '../../../core/field/fields.ts'
import { ASSOCIATED_DATA, CONTEXT, checkItem, encryptorOf, NONCE_FIELD, sealedResult } from '../item-rules.ts'
import { ringInUse } from '../ring-keys.ts'
import { producingVersion } from '../versions.ts'
import { checkPadding, PADDING_SCHEME } from './padding.ts'

const BITS: readonly number[] = [128, 256, 512]

/**
 * @throws KernelError 400 if the key does not exist, if the key is soft-deleted, if keys of this type do not encrypt, if `bits` is not 128,
 *   256 or 512, if the key has no version `key_version`, if `key_version` is below `min_encryption_version` or `min_decryption_version`, if
 *   the key is derived and `context` is missing or longer than 131,072 bytes, if `associated_data`, `nonce` or `padding_scheme` is given
 *   and the key does not accept this parameter, or if the key version has reached the limit of 2^32 encryptions with random nonces.
 * @throws KernelError 502 if the external system that keeps a managed key refuses the call, fails, or cannot be reached.
 * @example
 * // Encrypt a file with `plaintext`, store `ciphertext` with it, and discard `plaintext`.
 * const { plaintext, ciphertext } = await kernel.transit.generateDataKey({ name: 'orders', kind: 'plaintext' })
 */
export const generateDataKey = operation({
  kind: 'read',
  verb: 'POST',
  path: '/datakey/:kind/:name',
  summary:
    'Creates a random data key for use outside the kernel, and returns it encrypted under a named key. decrypt returns the plaintext of the data key.',
  fields: {
    name: f.name('The name of the key.'),
    kind: f.oneOf(
      ['plaintext', 'wrapped'],
      'plaintext returns the new key in plaintext and as a ciphertext; wrapped returns only the ciphertext.',
    ),
    bits: f.int('128, 256 or 512.').default(256),
    associated_data: ASSOCIATED_DATA,
    context: CONTEXT,
    key_version: f.int('The key version to use; 0 means the latest.').default(0),
    nonce: NONCE_FIELD,
    padding_scheme: PADDING_SCHEME,
  },
  returns: {
    ciphertext: f.text('`<prefix>:v<version>:<base64>`'),
    key_version: f.int('The key version that was used.'),
    plaintext: f.bytes('The plaintext of the new key, only if kind is plaintext.').optional(),
  },
  run: (tx, { name, kind, bits, ...item }) => {
    if (!BITS.includes(bits)) throw invalid(`bits: must be one of ${BITS.join(', ')}`)
    const keys = ringInUse(tx, name)
    const encryptor = encryptorOf(keys)
    checkPadding(encryptor, item.padding_scheme)
    const version = producingVersion(keys.ring, item.key_version)
    const derivation = checkItem(keys, encryptor, version, item)
    const key = keys.sealing(version, derivation)
    // If the encryption cannot finish within one run of the transaction (long associated data, or an external system encrypts), the
    // transaction is rerun. All runs must encrypt the same new key.
    const long = bits / 8 + item.associated_data.length > ALWAYS_SHORT
    const repeated = long || keys.type.isManaged
    const plaintext = newKey(tx, bits / 8, repeated)
    const job = { plaintext, associatedData: item.associated_data, derivation, nonce: item.nonce }
    const seal = () => encryptor.seal(tx.env, key, job)
    const body = repeated ? sealOutsideRun(tx, keys.type.isManaged, seal) : (seal() as Uint8Array)
    const sealed = sealedResult(keys.form, version, body)
    if (kind === 'plaintext') return { ...sealed, plaintext: repeated ? plaintext.slice() : plaintext }
    plaintext.fill(0)
    return sealed
  },
})

const newKey = (tx: Tx, bytes: number, repeated: boolean): Uint8Array =>
  repeated ? tx.once('data key', async () => tx.env.entropy.bytes(bytes)) : tx.env.entropy.bytes(bytes)

const sealOutsideRun = (tx: Tx, isManaged: boolean, seal: () => StepsOutcome<Uint8Array>): Uint8Array =>
  isManaged
    ? tx.once('sealed data key', async () => seal() as Promise<Uint8Array>)
    : tx.steps('sealed data key', () => asSteps(seal() as Uint8Array | Steps<Uint8Array>))

function* asSteps(sealed: Uint8Array | Steps<Uint8Array>): Steps<Uint8Array> {
  return isSteps(sealed) ? yield* sealed : sealed
}
