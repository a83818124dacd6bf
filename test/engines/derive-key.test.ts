/** Compares keys from ECDH and HKDF with Node's results. */
import { createECDH, createHash, createPublicKey, diffieHellman, generateKeyPairSync, hkdfSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { ask, base64, utf8 } from '../property/support.ts'

const CURVES = [
  ['ecdsa-p256', 'prime256v1'],
  ['ecdsa-p384', 'secp384r1'],
  ['ecdsa-p521', 'secp521r1'],
] as const
const TYPES = [
  ['aes128-gcm96', 16],
  ['aes256-gcm96', 32],
  ['chacha20-poly1305', 32],
  ['xchacha20-poly1305', 32],
] as const

const publicPem = async (kernel: Kernel, name: string, version = 1): Promise<string> =>
  ((await kernel.transit.readKey({ name })).keys[version] as { public_key: string }).public_key

const exported = async (kernel: Kernel, name: string): Promise<Readonly<Record<string, string>>> => {
  await kernel.transit.configureKey({ name, exportable: true })
  return (await kernel.transit.exportKey({ key_type: 'encryption-key', name })).keys
}

describe.each(CURVES)('transit.deriveKey with a base key of type %s', (type, namedCurve) => {
  it.each(TYPES)('derives the same %s key as Node’s implementation', async (derived_key_type, length) => {
    await using kernel = await createDevKernel()
    await kernel.transit.createKey({ name: 'base', type })
    await kernel.transit.rotateKey({ name: 'base' })
    for (const base_key_version of [1, 2]) {
      const peer = generateKeyPairSync('ec', { namedCurve })
      const peer_public_key = peer.publicKey.export({ type: 'spki', format: 'pem' }) as string
      const request = { name: `k${base_key_version}`, base_key_name: 'base', base_key_version, peer_public_key }
      await kernel.transit.deriveKey({ ...request, derived_key_type })
      const publicKey = createPublicKey(await publicPem(kernel, 'base', base_key_version))
      const secret = diffieHellman({ privateKey: peer.privateKey, publicKey })
      const expected = Buffer.from(hkdfSync('sha256', secret, '', '', length)).toString('base64')
      expect(await exported(kernel, request.name)).toEqual({ 1: expected })
    }
    expect(await kernel.transit.readKey({ name: 'k1' })).toMatchObject({
      type: derived_key_type,
      imported: true,
      exportable: true,
    })
  })
})

describe('a key that deriveKey creates', () => {
  it('is equal in two kernels that use the public keys of each other, so that one decrypts what the other encrypts', async () => {
    await using here = await createDevKernel()
    await using there = await createDevKernel()
    for (const kernel of [here, there]) await kernel.transit.createKey({ name: 'base', type: 'ecdsa-p384' })
    const [ownPem, otherPem] = [await publicPem(here, 'base'), await publicPem(there, 'base')]
    await here.transit.deriveKey({ name: 'shared', base_key_name: 'base', peer_public_key: otherPem })
    await there.transit.deriveKey({ name: 'shared', base_key_name: 'base', peer_public_key: ownPem })
    const { ciphertext } = await here.transit.encrypt({ name: 'shared', plaintext: utf8('between us') })
    expect((await there.transit.decrypt({ name: 'shared', ciphertext })).plaintext).toEqual(utf8('between us'))
  })

  it('is added as the next version of an existing imported or derived key', async () => {
    await using kernel = await createDevKernel()
    await kernel.transit.createKey({ name: 'base', type: 'ecdsa-p256' })
    const peer = createECDH('prime256v1')
    const spki = (key: Buffer) =>
      `-----BEGIN PUBLIC KEY-----\n${base64(Buffer.concat([Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex'), key]))}\n-----END PUBLIC KEY-----\n`
    for (let version = 1; version <= 3; version++) {
      const peer_public_key = spki(peer.generateKeys())
      await kernel.transit.deriveKey({
        name: 'k',
        base_key_name: 'base',
        peer_public_key,
        derived_key_type: 'AES256-GCM96' as 'aes256-gcm96',
      })
    }
    expect(Object.keys(await exported(kernel, 'k'))).toEqual(['1', '2', '3'])
    expect(new Set(Object.values(await exported(kernel, 'k'))).size).toBe(3)
    await expect(kernel.transit.rotateKey({ name: 'k' })).rejects.toMatchObject({ status: 400 })
  })
})

describe('transit operations that need no stored key', () => {
  it('return as many random bytes as requested, different each time', async () => {
    await using kernel = await createDevKernel()
    const seen = new Set<string>()
    for (const bytes of [1, 16, 32, 255, 256, 257, 131_072]) {
      const { random_bytes } = await kernel.transit.random({ bytes })
      expect(random_bytes).toHaveLength(bytes)
      if (bytes > 15) seen.add(base64(random_bytes.subarray(0, 16)))
    }
    expect(seen.size).toBe(6)
    expect((await kernel.transit.random()).random_bytes).toHaveLength(32)
    expect((await kernel.transit.random({ bytes: 5, source: 'seal' })).warnings).toHaveLength(1)
    const shown = await ask(kernel, 'POST', 'random/all/4', { format: 'hex' })
    expect(shown.data['random_bytes']).toMatch(/^[0-9a-f]{8}$/)
    for (const bytes of [0, -1, 1.5, 131_073])
      await expect(kernel.transit.random({ bytes })).rejects.toMatchObject({ status: 400 })
  })

  it('return the same hashes as Node for inputs of any length', async () => {
    await using kernel = await createDevKernel()
    for (const length of [0, 1, 1000, 131_072, 131_073, 3_000_000]) {
      const input = new Uint8Array(length).fill(length)
      for (const [algorithm, name] of [
        ['sha2-256', 'sha256'],
        ['sha3-512', 'sha3-512'],
      ] as const) {
        const expected = Uint8Array.from(createHash(name).update(input).digest())
        const call = kernel.transit.hash({ input, algorithm })
        // The caller may overwrite its bytes once the call has returned.
        const copy = input.slice()
        input.fill(0)
        expect((await call).sum).toEqual(expected)
        input.set(copy)
      }
    }
    const { data } = await ask(kernel, 'POST', 'hash/sha2-256', { input: base64(new Uint8Array(200_000)), format: 'base64' })
    expect(data['sum']).toBe(createHash('sha256').update(new Uint8Array(200_000)).digest('base64'))
  })

  it('return data keys of the requested length, which decrypt with their associated data', async () => {
    await using kernel = await createDevKernel()
    await kernel.transit.createKey({ name: 'k' })
    for (const associated_data of [utf8('a'), new Uint8Array(300_000).fill(3)]) {
      for (const bits of [128, 256, 512]) {
        const made = await kernel.transit.generateDataKey({ name: 'k', kind: 'plaintext', bits, associated_data })
        expect(made.plaintext).toHaveLength(bits / 8)
        const opened = await kernel.transit.decrypt({ name: 'k', ciphertext: made.ciphertext, associated_data })
        expect(opened.plaintext).toEqual(made.plaintext)
        expect(opened.plaintext.some((byte) => byte !== 0)).toBe(true)
      }
    }
    expect((await kernel.transit.readKey({ name: 'k' })).encryptions).toEqual({ 1: 6 })
  })
})
