/** Algorithms that are not approved are refused, but existing keys of these types can still be managed. */
import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, createKernel, type Kernel, keySeal, memoryStorage } from '../../src/index.ts'
import { certificate, spkiOf } from '../fixtures/certificates.ts'

const REFUSED = ['chacha20-poly1305', 'xchacha20-poly1305', 'ed25519'] as const
const OFFERED = ['aes128-gcm96', 'aes256-gcm96', 'ecdsa-p256', 'ecdsa-p384', 'ecdsa-p521', 'hmac'] as const
const bytes = (length: number) => new Uint8Array(length).fill(7)
const KEY = bytes(32)

const refusal = { status: 400, message: expect.stringContaining('fips') }

describe('a kernel with the fips option', () => {
  const storage = memoryStorage()
  const made = new Map<string, { ciphertext: string; signature: string; hmac: string; backup: string }>()
  let kernel: Kernel

  beforeAll(async () => {
    const before = await createKernel({ storage, seal: keySeal(KEY), initialize: true })
    for (const name of REFUSED) {
      await before.transit.createKey({ name, type: name, exportable: true, allow_plaintext_backup: true })
      const { hmac } = await before.transit.hmac({ name, input: bytes(3) })
      const { backup } = await before.transit.backupKey({ name })
      const none = { ciphertext: '', signature: '' }
      const own =
        name === 'ed25519'
          ? { ...none, ...(await before.transit.sign({ name, input: bytes(3) })) }
          : { ...none, ...(await before.transit.encrypt({ name, plaintext: bytes(3) })) }
      made.set(name, { hmac, backup, ciphertext: own.ciphertext, signature: own.signature })
    }
    const leaf = certificate(await spkiOf(before, 'ed25519'))
    await before.transit.setCertificate({ name: 'ed25519', certificate_chain: leaf })
    await before.transit.createKey({ name: 'base', type: 'ecdsa-p256' })
    await before.close()
    kernel = await createKernel({ storage, seal: keySeal(KEY), fips: true })
  })
  afterAll(() => kernel.close())

  it.each(REFUSED)('refuses to create keys of type %s by any operation', async (type) => {
    const { backup } = made.get(type) as { backup: string }
    const peer = ((await kernel.transit.readKey({ name: 'base' })).keys['1'] as { public_key: string }).public_key
    await expect(kernel.transit.createKey({ name: 'new', type })).rejects.toMatchObject(refusal)
    await expect(kernel.transit.rotateKey({ name: type })).rejects.toMatchObject(refusal)
    await expect(kernel.transit.restoreKey({ name: 'new', backup })).rejects.toMatchObject(refusal)
    if (type === 'ed25519') {
      const public_key = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString()
      await expect(kernel.transit.importKey({ name: 'new', type, public_key })).rejects.toMatchObject(refusal)
    } else {
      await expect(kernel.transit.encrypt({ name: 'new', type, plaintext: bytes(1) })).rejects.toMatchObject(refusal)
      const derived = { name: 'new', base_key_name: 'base', peer_public_key: peer, derived_key_type: type }
      await expect(kernel.transit.deriveKey(derived)).rejects.toMatchObject(refusal)
    }
    expect((await kernel.transit.listKeys()).keys).not.toContain('new')
  })

  it.each(REFUSED)('refuses to use keys of type %s', async (name) => {
    const { ciphertext, signature, hmac } = made.get(name) as { ciphertext: string; signature: string; hmac: string }
    const input = bytes(3)
    const uses =
      name === 'ed25519'
        ? [
            kernel.transit.sign({ name, input }),
            kernel.transit.verify({ name, input, signature }),
            kernel.transit.signCsr({ name }),
          ]
        : [
            kernel.transit.encrypt({ name, plaintext: input }),
            kernel.transit.decrypt({ name, ciphertext }),
            kernel.transit.rewrap({ name, ciphertext }),
            kernel.transit.generateDataKey({ name, kind: 'wrapped' }),
          ]
    uses.push(kernel.transit.hmac({ name, input }) as never, kernel.transit.verify({ name, input, hmac }) as never)
    for (const use of uses) await expect(use).rejects.toMatchObject(refusal)
  })

  it.each(REFUSED)('allows keys of type %s to be read, configured and deleted', async (name) => {
    expect(await kernel.transit.readKey({ name })).toMatchObject({ type: name })
    await kernel.transit.configureKey({ name, deletion_allowed: true })
    await kernel.transit.softDeleteKey({ name })
    await kernel.transit.undeleteKey({ name })
    await kernel.transit.deleteKey({ name })
  })

  it.each(OFFERED)('allows keys of type %s to be created and used', async (type) => {
    await kernel.transit.createKey({ name: type, type })
    const { hmac } = await kernel.transit.hmac({ name: type, input: bytes(3) })
    expect((await kernel.transit.verify({ name: type, input: bytes(3), hmac })).valid).toBe(true)
  })
})

it('the fips option must be a boolean', async () => {
  await expect(createDevKernel({ fips: 'yes' as never })).rejects.toThrow(TypeError)
})
