/**
 * Opens a store from outside, with what a recording entropy knows, to learn every secret that is in it.
 */
import { hkdfSync } from 'node:crypto'
import type { Storage } from '../../src/index.ts'
import type { Secret } from './haystack.ts'
import { openByNode } from './recording.ts'

/** Term, version byte; then nonce, ciphertext, tag. */
const HEADER = 5
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

const openRecord = (key: Uint8Array, path: string, value: Uint8Array): Uint8Array | undefined =>
  value.length < HEADER + 28 ? undefined : openByNode('aes256-gcm96', key, value.subarray(HEADER), utf8(path))

export interface Opened {
  readonly root: Uint8Array
  readonly barrier: Uint8Array
  /** Every record behind the barrier, in the clear. */
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

/** Root and barrier key, and of every key version the key, the HMAC key and the key of `context`. */
export function secretsOf({ root, barrier, records }: Opened, context: Uint8Array): readonly Secret[] {
  const secrets: Secret[] = [
    { name: 'the root key', bytes: root },
    { name: 'the barrier key', bytes: barrier },
  ]
  for (const { key: path, value } of records) {
    if (path.split('/')[2] === 'wrapping-material')
      secrets.push({ name: 'the wrapping key', bytes: value.subarray(value.length - 200, value.length - 20) })
    if (path.split('/')[2] !== 'material') continue
    // Format byte, length of the HMAC key and whether there is only a public key, HMAC key, key.
    const head = new DataView(value.buffer, value.byteOffset).getUint16(1)
    const macBytes = head & 0x7fff
    const [mac, key] = [value.subarray(3, 3 + macBytes), value.subarray(3 + macBytes)]
    const version = path.split('/').slice(-2).join(' version ')
    secrets.push({ name: `the HMAC key of ${version}`, bytes: mac })
    if (key.length === 0 || head !== macBytes) continue
    // An ed25519 key ends with its public half; what lies in the middle of a PKCS#8 RSA key is private, its beginning is not.
    const own = key.length === 64 ? key.subarray(0, 32) : key.length > 100 ? key.subarray(key.length - 200, key.length - 20) : key
    secrets.push({ name: `the key of ${version}`, bytes: own })
    if (key.length > 64) continue
    const derived = new Uint8Array(hkdfSync('sha256', key, new Uint8Array(0), context, 64))
    secrets.push({ name: `the derived key of ${version}`, bytes: derived.subarray(0, key.length === 16 ? 16 : 32) })
    secrets.push({ name: `the nonce key of ${version}`, bytes: derived.subarray(32) })
  }
  return secrets
}
