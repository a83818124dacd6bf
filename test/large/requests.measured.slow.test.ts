/**
 * Requests close to the limit of 32 MiB are answered without blocking the process for long.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KeyTypeName } from '../../src/engines/transit/key-types/index.ts'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { watched } from './watched.ts'

const MIB = 1 << 20

let kernel: Kernel
beforeAll(async () => {
  kernel = await createDevKernel()
  for (const [name, type] of Object.entries({
    aes: 'aes256-gcm96',
    chacha: 'chacha20-poly1305',
    ed: 'ed25519',
    ec: 'ecdsa-p256',
  })) {
    await kernel.transit.createKey({ name, type: type as KeyTypeName })
  }
  await kernel.transit.createKey({ name: 'convergent', derived: true, convergent_encryption: true })
})
afterAll(() => kernel.close())

async function send(path: string, body: Uint8Array): Promise<number> {
  const headers = { 'X-Service-Token': kernel.rootToken }
  return (await kernel.handle({ method: 'POST', path: `/v1/transit/${path}`, headers, body })).status
}

const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))
const base64 = (length: number): string => Buffer.alloc(length, 'QUJD').toString()

describe('a request with a body of almost 32 MiB', () => {
  it.each([
    ['encrypt/aes', 200, () => json({ plaintext: base64(31 * MIB) })],
    ['encrypt/chacha', 200, () => json({ plaintext: base64(31 * MIB) })],
    ['encrypt/convergent', 200, () => json({ plaintext: base64(31 * MIB), context: 'YQ==' })],
    ['hmac/aes', 200, () => json({ input: base64(31 * MIB) })],
    ['sign/ed', 200, () => json({ input: base64(31 * MIB) })],
    ['sign/ec', 200, () => json({ input: base64(31 * MIB) })],
    ['decrypt/aes', 400, () => json({ ciphertext: `strongroom:v1:${base64(31 * MIB)}` })],
    ['rewrap/aes', 400, () => json({ ciphertext: `strongroom:v1:${base64(31 * MIB)}` })],
    ['encrypt/aes', 200, () => json({ batch_input: Array.from({ length: 300_000 }, () => ({ plaintext: 'QUJD' })) })],
    ['encrypt/aes', 200, () => json({ batch_input: Array.from({ length: 350 }, () => ({ plaintext: base64(65_536) })) })],
    ['encrypt/aes', 400, () => Buffer.from('['.repeat(31 * MIB))],
    ['encrypt/aes', 400, () => json(Object.fromEntries(Array.from({ length: 500_000 }, (_, i) => [`member ${i}`, i])))],
    ['encrypt/aes', 400, () => json({ plaintext: Array.from({ length: 2_000_000 }, (_, i) => i) })],
  ] as const)('to %s returns %i without blocking the event loop', async (path, status, body) => {
    const sent = body()
    await watched(async () => expect(await send(path, sent)).toBe(status))
  })
})

it('a request with a body above 32 MiB is refused with 413', async () => {
  expect(await send('encrypt/aes', json({ plaintext: base64(32 * MIB) }))).toBe(413)
})
