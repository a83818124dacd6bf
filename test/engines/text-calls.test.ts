import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../src/index.ts'

let kernel: Kernel
beforeAll(async () => {
  kernel = await createDevKernel()
  await kernel.transit.createKey({ name: 'orders' })
})
afterAll(() => kernel.close())

describe('transit.encryptText and decryptText', () => {
  it('return every text unchanged after encryption and decryption', async () => {
    for (const plaintext of ['', 'a', '\ufeffäöü', '\u{1f511}', 'x'.repeat(100_000)]) {
      const { ciphertext, key_version } = await kernel.transit.encryptText({ name: 'orders', plaintext })
      expect(key_version).toBe(1)
      expect(await kernel.transit.decryptText({ name: 'orders', ciphertext })).toEqual({ plaintext })
    }
  })

  it('refuse a plaintext that is not a well-formed string, and a ciphertext whose plaintext is not UTF-8', async () => {
    for (const plaintext of ['\ud800', new Uint8Array(1), 1, undefined])
      await expect(kernel.transit.encryptText({ name: 'orders', plaintext } as never)).rejects.toThrow(TypeError)
    await expect(kernel.transit.encryptText(undefined as never)).rejects.toThrow(TypeError)
    const { ciphertext } = await kernel.transit.encrypt({ name: 'orders', plaintext: new Uint8Array([255]) })
    await expect(kernel.transit.decryptText({ name: 'orders', ciphertext })).rejects.toMatchObject({
      code: 'ERR_INVALID_REQUEST',
      message: 'ciphertext: the decrypted data is not UTF-8',
    })
  })

  it('pass options and associated data to encrypt and decrypt', async () => {
    const associated_data = new Uint8Array([1])
    const { ciphertext } = await kernel.transit.encryptText({ name: 'orders', plaintext: 'a', associated_data })
    await expect(kernel.transit.decryptText({ name: 'orders', ciphertext })).rejects.toThrow()
    expect((await kernel.transit.decryptText({ name: 'orders', ciphertext, associated_data })).plaintext).toBe('a')
    const refused = kernel.transit.encryptText({ name: 'orders', plaintext: 'a' }, { misspelled: 1 } as never)
    await expect(refused).rejects.toThrow(new TypeError('encrypt: unknown option misspelled'))
  })
})
