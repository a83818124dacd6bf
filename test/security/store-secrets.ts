/**
 * Decrypts a store from outside with the draws of a recording entropy, to collect all secrets in it.
 */
import { hkdfSync } from 'node:crypto'
import type { Storage } from '../../src/index.ts'
import type { Secret } from './haystack.ts'
import { openByNode } from './recording.ts'

/** The term and the version byte, before nonce, ciphertext and tag. */
const HEADER = 5
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

const openRecord = (key: Uint8Array, path: string, value: Uint8Array): Uint8Array | undefined =>
  value.length < HEADER + 28 ? undefined : openByNode('aes256-gcm96', key, value.subarray(HEADER), utf8(path))

export interface Opened {
  readonly root: Uint8Array
  readonly barrier: Uint8Array
  /** All records behind the barrier, decrypted. */
  readonly records: readonly { readonly key: string; readonly value: Uint8Array }[]
}

export async function openStore(storage: Storage, draws: readonly Uint8Array[]): Promise<Opened> {
  const keys = draws.filter(({ length }) => length === 32)
  const ring = (await storage.get('i/core/ring'))!
  const root = keys.find((key) => openRecord(key, ring.key, ring.value))
  const entries = (await storage.scan('')).filter(({ key }) => !key.startsWith('i/core/'))
  const barrier = keys.find((key) => openRecord(key, entries[0]!.key, entries[0]!.value))
  if (!root || !barrier) throw new Error('no recorded key opens this store')
  return { root, barrier, records: entries.map(({ key, value }) => ({ key, value: openRecord(barrier, key, value)! })) }
}

/** The root key, the barrier key, and for each key version its key, its HMAC key and the key derived for `context`. */
export function secretsOf({ root, barrier, records }: Opened, context: Uint8Array): readonly Secret[] {
  const secrets: Secret[] = [
    { name: 'the root key', bytes: root },
    { name: 'the barrier key', bytes: barrier },
  ]
  for (const { key: path, value } of records) {
    if (path.split('/')[2] === 'wrapping-material')
      secrets.push({ name: 'the wrapping key', bytes: value.subarray(value.length - 200, value.length - 20) })
    if (path.split('/')[2] !== 'material') continue
    // A format byte, the length of the HMAC key with a flag for public-only keys, the HMAC key, and the key.
    const head = new DataView(value.buffer, value.byteOffset).getUint16(1)
    const macBytes = head & 0x7fff
    const [mac, key] = [value.subarray(3, 3 + macBytes), value.subarray(3 + macBytes)]
    const version = path.split('/').slice(-2).join(' version ')
    secrets.push({ name: `the HMAC key of ${version}`, bytes: mac })
    if (key.length === 0 || head !== macBytes) continue
    // An Ed25519 key ends with its public half. The middle of a PKCS#8 RSA key is private, its beginning is not.
    const own = key.length === 64 ? key.subarray(0, 32) : key.length > 100 ? key.subarray(key.length - 200, key.length - 20) : key
    secrets.push({ name: `the key of ${version}`, bytes: own })
    if (key.length > 64) continue
    const derived = new Uint8Array(hkdfSync('sha256', key, new Uint8Array(0), context, 64))
    secrets.push({ name: `the derived key of ${version}`, bytes: derived.subarray(0, key.length === 16 ? 16 : 32) })
    secrets.push({ name: `the nonce key of ${version}`, bytes: derived.subarray(32) })
  }
  return secrets
}
