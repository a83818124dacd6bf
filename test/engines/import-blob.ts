/**
 * Wraps keys for the kernel's wrapping key, as a client does that uses only OpenSSL.
 */
import { constants, createCipheriv, publicEncrypt, randomBytes } from 'node:crypto'
import type { Kernel } from '../../src/index.ts'
import { pkcs8Of, RSA_PAIRS } from '../fixtures/rsa-keys.ts'
import { ask, base64 } from '../property/support.ts'

export const HASH_FUNCTIONS = ['SHA1', 'SHA224', 'SHA256', 'SHA384', 'SHA512'] as const
export type HashFunction = (typeof HASH_FUNCTIONS)[number]

/** RSA-OAEP of the ephemeral key, digest and MGF1 with the same hash, empty label. */
export const oaep = (publicKey: string, ephemeral: Uint8Array, hash: string): Uint8Array =>
  publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: hash.toLowerCase() }, ephemeral)

/** AES-KWP (RFC 5649). */
export function kwp(kek: Uint8Array, material: Uint8Array): Uint8Array {
  const cipher = createCipheriv(`id-aes${8 * kek.length}-wrap-pad`, kek, Buffer.from('a65959a6', 'hex'))
  return Buffer.concat([cipher.update(material), cipher.final()])
}

export function wrapped(
  publicKey: string,
  material: Uint8Array,
  hash: string = 'SHA256',
  ephemeral: Uint8Array = randomBytes(32),
) {
  return Uint8Array.from(Buffer.concat([oaep(publicKey, ephemeral, hash), kwp(ephemeral, material)]))
}

export const wrappingKey = async (kernel: Kernel): Promise<string> => (await kernel.transit.readWrappingKey()).public_key

/**
 * Creates an RSA key with three versions from stored pairs, because generating them takes seconds. Sizes without stored pairs are
 * generated.
 */
export async function createRsaKey(kernel: Kernel, type: 'rsa-2048' | 'rsa-3072' | 'rsa-4096'): Promise<void> {
  const name = type
  if (type === 'rsa-4096') {
    await kernel.transit.createKey({ name, type })
    for (let version = 2; version <= 3; version++) await kernel.transit.rotateKey({ name })
    return
  }
  const recipient = await wrappingKey(kernel)
  const [first, ...others] = RSA_PAIRS[type].map((pair) => wrapped(recipient, pkcs8Of(pair)))
  await kernel.transit.importKey({ name, type, ciphertext: first as Uint8Array })
  for (const ciphertext of others) await kernel.transit.importKeyVersion({ name, ciphertext })
}

/** Imports a key by path, as clients do; the answer is 204 on success. */
export async function importByPath(kernel: Kernel, name: string, type: string, material: Uint8Array, more: object = {}) {
  const ciphertext = base64(wrapped(await wrappingKey(kernel), material))
  return ask(kernel, 'POST', `keys/${name}/import`, { type, ciphertext, ...more })
}
