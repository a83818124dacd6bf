/** Reads keys that are imported, and stores them as versions. */

import { invalid } from '../../core/base/errors.ts'
import type { Tx } from '../../core/contract/tx.ts'
import type { HashName } from '../../core/crypto/backend.ts'
import { decodeFirstPem } from '../../core/crypto/pem.ts'
import { f } from '../../core/field/fields.ts'
import { type KeyTypeName, keyType } from './key-types/index.ts'
import type { IncomingKey, KeyCodec } from './key-types/key-codec.ts'
import { assertLoaded } from './key-types/key-type.ts'
import { encodeMaterial } from './material.ts'
import { completedMaterialOwner, completeVersion, MATERIAL, type Ring } from './ring.ts'
import { type RingKeys, storeRing, storeVersion } from './ring-keys.ts'
import { unwrapImportedKey } from './wrapping-key.ts'

/** The hash functions for RSA-OAEP, by the names that import and wrapped export accept, in upper or lower case. */
const OAEP_HASHES = {
  SHA1: 'sha1',
  SHA224: 'sha2-224',
  SHA256: 'sha2-256',
  SHA384: 'sha2-384',
  SHA512: 'sha2-512',
} as const satisfies Readonly<Record<string, HashName>>

export type OaepHash = keyof typeof OAEP_HASHES

const isOaepHash = (name: string): name is OaepHash => Object.hasOwn(OAEP_HASHES, name)

/** @throws KernelError 400 naming the parameter */
export function oaepHash(name: string, parameter: string): HashName {
  const upper = name.toUpperCase()
  if (!isOaepHash(upper)) throw invalid(`${parameter}: must be one of ${Object.keys(OAEP_HASHES).join(', ')}`)
  return OAEP_HASHES[upper]
}

export const INCOMING_FIELDS = {
  ciphertext: f
    .bytes(
      'The wrapped key: an AES-256 key encrypted with the wrapping key (RSA-OAEP), followed by the imported key wrapped with that AES key (AES-KWP).',
    )
    .optional(),
  public_key: f
    .text('A public key in PEM form, instead of `ciphertext`. The imported version can then only verify signatures or encrypt.')
    .optional(),
  hash_function: f
    .word<OaepHash>('The hash of RSA-OAEP and its MGF1: SHA1, SHA224, SHA256 (default), SHA384, SHA512.')
    .default('SHA256'),
}

interface IncomingInput {
  readonly ciphertext: Uint8Array | undefined
  readonly public_key: string | undefined
  readonly hash_function: string
}

/** Reads the imported key, which the caller wipes. @throws KernelError 400 */
export function incomingKey(tx: Tx, name: KeyTypeName, input: IncomingInput): IncomingKey {
  const incoming = readIncoming(tx, name, input)
  const { publicOnly, restriction } = incoming
  if (restriction !== undefined)
    tx.warn(
      `${publicOnly ? 'public_key' : 'ciphertext'}: the file restricts the key to ${restriction}; that restriction was dropped`,
    )
  return incoming
}

function readIncoming(tx: Tx, name: KeyTypeName, input: IncomingInput): IncomingKey {
  const { ciphertext, public_key } = input
  const type = keyType(name)
  assertLoaded(type)
  const { codec } = type
  const hash = oaepHash(input.hash_function, 'hash_function')
  if (ciphertext !== undefined && public_key !== undefined) throw invalid('ciphertext and public_key: give one of them, not both')
  if (ciphertext !== undefined) {
    const bytes = unwrapImportedKey(tx, ciphertext, hash)
    try {
      return tested(tx, codec, codec.fromWrapped(tx.env.crypto, bytes))
    } finally {
      bytes.fill(0)
    }
  }
  if (public_key === undefined) throw invalid('ciphertext or public_key: one of them is required')
  if (!codec.publicKey) throw invalid(`public_key: keys of type ${name} have no public key`)
  return codec.publicKey.fromSpki(tx.env.crypto, decodeFirstPem(public_key, 'public_key'))
}

/**
 * Returns the imported key after the test that its codec requires. Wipes the key if the test refuses it, or if the run of the transaction
 * ends to wait for the test.
 * @throws KernelError 400
 */
function tested(tx: Tx, { test }: KeyCodec, incoming: IncomingKey): IncomingKey {
  try {
    const testing = test?.(tx.env.crypto, incoming.key)
    if (testing) tx.steps('test of the imported key', () => testing, 'attempt')
    return incoming
  } catch (error) {
    incoming.key.fill(0)
    throw error
  }
}

/** Stores an imported key as the next version. Wipes the bytes of `incoming`. */
export function storeIncoming(tx: Tx, ring: Ring, incoming: IncomingKey): Ring {
  const sized = keyType(ring.type).macOnly ? { ...ring, key_size: incoming.key.length } : ring
  const next = storeVersion(tx, sized, incoming, true)
  tx.event('key.imported', { name: next.name, key_type: next.type, version: next.latest_version })
  return next
}

/** Stores the missing private half of a version; the version keeps its HMAC key. Wipes the bytes of `incoming`. */
export function storePrivateHalf(tx: Tx, keys: RingKeys, version: number, { key }: IncomingKey): Ring {
  const { ring } = keys
  const material = keys.version(version).lendAll((macKey) => encodeMaterial(macKey, key))
  tx.putSecret(MATERIAL, completedMaterialOwner(ring.id), version, material)
  tx.deleteSecret(MATERIAL, ring.id, version)
  key.fill(0)
  const next = completeVersion(ring, version)
  storeRing(tx, ring, next)
  tx.event('key.imported', { name: next.name, key_type: next.type, version })
  return next
}
