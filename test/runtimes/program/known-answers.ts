/** Restores keys of published test vectors from backups and checks the results. */
import rfc4231 from '../../vectors/rfc4231-hmac.json' with { type: 'json' }
import rfc8032 from '../../vectors/rfc8032-ed25519.json' with { type: 'json' }
import rfc8439 from '../../vectors/rfc8439-chacha20-poly1305.json' with { type: 'json' }
import { base64, type Check, hex, same, unhex, utf8, within } from './library.ts'

/** Test case 16 of "The Galois/Counter Mode of Operation" (McGrew, Viega). */
const GCM = {
  key: 'feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308',
  nonce: 'cafebabefacedbaddecaf888',
  aad: 'feedfacedeadbeeffeedfacedeadbeefabaddad2',
  plaintext:
    'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39',
  ciphertext:
    '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662',
  tag: '76fc6ece0f4e1768cddf8853bb2d551b',
}

/** A backup in Vault's format; `type` is Vault's number. */
function backup(type: number, key: Uint8Array, hmacKey: Uint8Array = new Uint8Array(32)): string {
  const version = { key: base64(key), hmac_key: base64(hmacKey), time: '2026-01-02T03:04:05Z', creation_time: 1_767_323_045 }
  const policy = { name: 'known', type, keys: { 1: version }, latest_version: 1, min_decryption_version: 1 }
  return base64(utf8(JSON.stringify({ policy, archived_keys: { keys: [{ key: null }, version] } })))
}

const opens =
  (type: number, { key, nonce, aad, plaintext, ciphertext, tag }: typeof GCM): Check =>
  ({ library }) =>
    within(library.createDevKernel(), async ({ transit }) => {
      await transit.restoreKey({ backup: backup(type, unhex(key)) })
      const sealed = `strongroom:v1:${base64(unhex(nonce + ciphertext + tag))}`
      const opened = await transit.decrypt({ name: 'known', ciphertext: sealed, associated_data: unhex(aad) })
      same(hex(opened.plaintext), plaintext)
    })

export const knownAnswers: Readonly<Record<string, Check>> = {
  'AES-256-GCM decrypts the published test vector': opens(0, GCM),

  'ChaCha20-Poly1305 decrypts the published test vector': opens(5, rfc8439[0] as typeof GCM),

  'Ed25519 signs as in the published test vector': ({ library }) =>
    within(library.createDevKernel(), async ({ transit }) => {
      const vector = rfc8032.find(({ name }) => name === 'TEST 2')!
      await transit.restoreKey({ backup: backup(2, unhex(vector.seed + vector.public)) })
      const { signature } = await transit.sign({ name: 'known', input: unhex(vector.message) })
      same(signature, `strongroom:v1:${base64(unhex(vector.signature))}`)
    }),

  'HMACs equal the published test vectors': ({ library }) =>
    within(library.createDevKernel(), async ({ transit }) => {
      const longest = Math.max(...rfc4231.map(({ case: number }) => number))
      const vectors = rfc4231.filter(({ case: number, mac }) => number === longest && mac.length >= 64)
      const key = unhex(vectors[0]!.key)
      await transit.restoreKey({ backup: backup(0, new Uint8Array(32), key) })
      for (const { hash, data, mac } of vectors) {
        const made = await transit.hmac({ name: 'known', input: unhex(data), algorithm: hash as 'sha2-256' })
        same(made.hmac, `strongroom:v1:${base64(unhex(mac))}`)
      }
      same(vectors.length > 1, true)
    }),
}
