import { alreadyExists, invalid } from '../../../core/base/errors.ts'
import { operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { INCOMING_FIELDS, incomingKey, storeIncoming } from '../incoming.ts'
import { KEY_TYPE_NAMES, type KeyTypeName, keyType } from '../key-types/index.ts'
import { emptyRing, RING, type Ring } from '../ring.ts'
import { newRingId } from '../ring-keys.ts'
import { wrappingPublicKey } from '../wrapping-key.ts'
import { checkDerivation, ringOptions } from './create-key.ts'

/** @throws no errors of its own. */
export const readWrappingKey = operation({
  kind: 'upsert',
  verb: 'GET',
  path: '/wrapping_key',
  forwardable: true,
  summary: 'Shows the public key with which keys are wrapped for import. The first call creates it.',
  fields: {},
  returns: { public_key: f.text('The public key of the wrapping key, which has the type RSA-4096: SPKI in PEM.') },
  run: (tx) => ({ public_key: wrappingPublicKey(tx) }),
})

/**
 * @throws KernelError 400 if the key already exists, if `ciphertext` and `public_key` are both missing or both given, if the ciphertext
 *   cannot be unwrapped, if the imported key is not a valid key of the `type`, if `derived` is set and `context` is missing, if `derived`
 *   is set and only a public key is given, if `auto_rotate_period` is given without `allow_rotation`, if `auto_rotate_period` is not 0 and
 *   is below one hour, if `convergent_encryption` is given, or if the option `fips` excludes the key type.
 */
export const importKey = operation({
  kind: 'write',
  verb: 'POST',
  path: '/keys/:name/import',
  forwardable: true,
  summary: 'Creates a named key from an existing key, or from a public key alone.',
  fields: {
    name: f.name('The name of the key.'),
    type: f.word<KeyTypeName>(`The key type, in upper or lower case: ${KEY_TYPE_NAMES.join(', ')}.`),
    ...INCOMING_FIELDS,
    allow_rotation: f
      .bool('Whether this service may rotate the key. After a rotation, no further version can be imported.')
      .default(false),
    derived: f.bool('Whether the key is derived: each call must pass a context, from which its key is derived.').default(false),
    context: f.bytes('Required if derived is true; only its presence is checked. Otherwise it has no effect.').optional(),
    exportable: f.bool('Whether key material may be exported. Cannot be reset to false.').default(false),
    allow_plaintext_backup: f.bool('Whether the key may be backed up in plaintext. Cannot be reset to false.').default(false),
    auto_rotate_period: f.duration('Time between automatic rotations, at least one hour; requires allow_rotation.').default(0),
    convergent_encryption: f.bool('Not supported: imported keys cannot be convergent.').optional(),
  },
  returns: {},
  run: (tx, { allow_rotation, context, ...input }) => {
    if (input.convergent_encryption !== undefined) throw invalid('convergent_encryption: must be omitted for imported keys')
    if (input.auto_rotate_period > 0 && !allow_rotation) throw invalid('auto_rotate_period: requires allow_rotation to be true')
    const type = input.type.toLowerCase()
    const options = ringOptions({ ...input, type, convergent_encryption: false, key_size: 0 })
    checkDerivation(options)
    if (options.derived && !context?.length) throw invalid('context: is required with derived')
    if (tx.get(RING, input.name)) throw alreadyExists(`name: a key named ${input.name} already exists`)
    const incoming = incomingKey(tx, options.type, input)
    if (options.derived && incoming.publicOnly)
      throw invalid('public_key: is not sufficient for a derived key; import the private key')
    const ring = { ...emptyRing({ ...options, id: newRingId(tx) }), allow_imported_key_rotation: allow_rotation }
    storeIncoming(tx, { ...ring, kdf: kdfOf(ring) }, incoming)
    return undefined
  },
})

/** As in Vault, imported keys use the counter mode derivation (0) if their type supports it. */
const kdfOf = ({ type, derived, kdf }: Ring): 0 | 1 => (derived && keyType(type).codec.counterMode ? 0 : kdf)
