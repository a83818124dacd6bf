/**
 * The key that wraps imports into this mount: RSA-4096, made at the first request for it and never replaced.
 *
 * It lies in separate records and not among the named keys, so that no name, no backup and no caller can reach or replace it.
 */
import { invalid } from '../../core/base/errors.ts'
import { uuid } from '../../core/base/identifiers.ts'
import { jsonRecord } from '../../core/contract/record-kind.ts'
import type { Environment, Tx } from '../../core/contract/tx.ts'
import type { HashName } from '../../core/crypto/backend.ts'
import { unwrapWithRsa } from '../../core/crypto/key-wrap-rsa.ts'
import { generateRsaKey, RsaPrivateKey } from '../../core/crypto/rsa/index.ts'

interface WrappingKey {
  /** Addresses the key record. */
  readonly id: string
  /** SPKI PEM. */
  readonly public_key: string
}

const RECORD = /* @__PURE__ */ jsonRecord<WrappingKey>({ folder: 'wrapping' })
const MATERIAL = { class: 'r', folder: 'wrapping-material', format: 1 } as const
const KEY = 'key'
const VERSION = 1
const BITS = 4096

/** SPKI PEM; a missing key is made. */
export function wrappingPublicKey(tx: Tx): string {
  const known = tx.get(RECORD, KEY)
  if (known) return known.public_key
  const der = tx.once('wrapping key', () => makeKeyOnce(tx))
  const own = RsaPrivateKey.fromPkcs8(der)
  const made = { id: uuid(tx.env.entropy.bytes(16)), public_key: own.publicKey.spkiPem() }
  own.wipe()
  tx.putSecret(MATERIAL, made.id, VERSION, der.slice())
  tx.put(RECORD, KEY, made)
  return made.public_key
}

/** Keys in the making, by kernel and mount. */
const keysBeingMade = /* @__PURE__ */ new WeakMap<Environment, Map<string, Promise<Uint8Array>>>()

/** Concurrent requests share the key being made, each with a copy: only one can be stored, and making one takes seconds. */
async function makeKeyOnce({ env, call }: Tx): Promise<Uint8Array> {
  const ofKernel = keysBeingMade.get(env) ?? new Map<string, Promise<Uint8Array>>()
  keysBeingMade.set(env, ofKernel)
  const known = ofKernel.get(call.mount.uuid)
  if (known) return (await known).slice()
  const making = generateRsaKey(BITS).finally(() => ofKernel.delete(call.mount.uuid))
  ofKernel.set(call.mount.uuid, making)
  // The first request gets the bytes themselves and wipes them after its commit; by then the other requests have their copies.
  return making
}

/**
 * Unwraps a key that was wrapped for this mount; the caller wipes it. The refusal of a blob of sufficient length is the same for
 * every fault.
 * @throws KernelError 400
 */
export function unwrap(tx: Tx, blob: Uint8Array, hash: HashName): Uint8Array {
  const least = BITS / 8
  if (blob.length <= least)
    throw invalid(`ciphertext: must be longer than ${least} bytes, the wrapped AES key and the key behind it`)
  const known = tx.get(RECORD, KEY)
  const own = known && tx.secret(MATERIAL, known.id, VERSION, openKey, undefined)
  const key = own && unwrapWithRsa(own, blob, hash)
  if (key) return key
  throw invalid(
    'ciphertext: cannot be unwrapped; it must be made for the wrapping key of this mount, with the given hash_function',
  )
}

const openKey = (stored: Uint8Array): RsaPrivateKey => RsaPrivateKey.fromPkcs8(stored)
