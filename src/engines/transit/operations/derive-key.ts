import { EMPTY } from '../../../core/base/bytes.ts'
import { invalid } from '../../../core/base/errors.ts'
import { operation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { decodeFirstPem } from '../../../core/crypto/pem.ts'
import { f } from '../../../core/field/fields.ts'
import type { SymmetricKeyType } from '../key-types/index.ts'
import { DEFAULT_KEY_TYPE, isKeyType, KEY_TYPE_NAMES, type KeyTypeName, keyType } from '../key-types/index.ts'
import { checkUse, emptyRing, RING, type Ring } from '../ring.ts'
import { newRingId, RingKeys, ringNamed, storeVersion } from '../ring-keys.ts'
import { producingVersion } from '../versions.ts'

const PARAMETER = 'peer_public_key'

/**
 * @throws KernelError 400 if the base key does not exist or is soft-deleted, if the base key is not an ECDSA key, if `peer_public_key` is
 *   not PEM or is not on the curve of the base key, if `derived_key_type` is not a symmetric type, if a key named `name` exists that is
 *   soft-deleted or has another type, or if a key named `name` exists that was neither derived nor imported.
 */
export const deriveKey = operation({
  kind: 'write',
  verb: 'POST',
  path: '/derive-key/:name',
  forwardable: true,
  summary:
    "Derives a key from a key pair of the mount and another party's public key. The other party derives the same key (ECDH, then HKDF-SHA256).",
  fields: {
    name: f.name('The name of the derived key. If a derived or imported key has this name, the result becomes its next version.'),
    key_derivation_algorithm: f.oneOf(['ecdh'], 'The method of key agreement. Must be ecdh.').default('ecdh'),
    peer_public_key: f.text('PEM of a public key on the curve of the base key.'),
    base_key_name: f.text('The name of an ECDSA key.').needed(''),
    base_key_version: f.int('The version of the base key; 0 means the latest.').default(0),
    derived_key_type: f
      .word<SymmetricKeyType>('The type of the derived key, which must be symmetric. It is not case-sensitive.')
      .default(DEFAULT_KEY_TYPE),
  },
  returns: {},
  run: (tx, input) => {
    const { type, bytes } = derivedType(input.derived_key_type)
    const base = new RingKeys(tx, ringNamed(tx, input.base_key_name, 'base_key_name'))
    const key = agree(base, producingVersion(base.ring, input.base_key_version), input.peer_public_key, bytes)
    const ring = storeVersion(tx, targetRing(tx, input.name, type), { key, publicKey: '' }, true)
    tx.event('key.imported', { name: ring.name, key_type: ring.type, version: ring.latest_version })
    return undefined
  },
})

/** @throws KernelError 400 if a key agreement cannot produce keys of this type */
function derivedType(text: string): { readonly type: KeyTypeName; readonly bytes: number } {
  const type = text.toLowerCase()
  const bytes = isKeyType(type) ? keyType(type).agreedKeyBytes : undefined
  if (isKeyType(type) && bytes !== undefined) return { type, bytes }
  const names = KEY_TYPE_NAMES.filter((known) => keyType(known).agreedKeyBytes !== undefined)
  throw invalid(`derived_key_type: must be one of ${names.join(', ')}`)
}

function agree(base: RingKeys, version: number, peer: string, bytes: number): Uint8Array {
  const { agreement } = base.type
  if (!agreement) throw invalid(`base_key_name: keys of type ${base.ring.type} have no key agreement`)
  const secret = agreement.secret(base.version(version), decodeFirstPem(peer, PARAMETER), PARAMETER)
  try {
    return base.env.crypto.hkdf('sha2-256', secret, undefined, EMPTY, bytes)
  } finally {
    secret.fill(0)
  }
}

/**
 * Returns the ring that gets the derived version: a new ring, or that of an existing derived or imported key.
 * @throws KernelError 400 if the existing key is soft-deleted, is neither derived nor imported, has another type, or is convergent
 */
function targetRing(tx: Tx, name: string, type: KeyTypeName): Ring {
  const ring = tx.get(RING, name)
  if (!ring) {
    const settings = { key_size: 0, derived: false, convergent_encryption: false, auto_rotate_period: 0 }
    const leave = { exportable: false, allow_plaintext_backup: false }
    return emptyRing({ id: newRingId(tx), name, type, ...settings, ...leave })
  }
  checkUse(ring)
  if (!ring.imported || ring.type !== type || ring.convergent_encryption)
    throw invalid(`name: ${name} must be a derived or imported key of type ${type}`)
  return ring
}
