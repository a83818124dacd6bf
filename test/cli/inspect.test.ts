import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inspectText } from '../../src/cli/commands/inspect.ts'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { runInProcess } from './run-in-process.ts'

let kernel: Kernel
beforeAll(async () => {
  kernel = await createDevKernel()
})
afterAll(() => kernel.close())

const input = new TextEncoder().encode('some text')
const formsOf = (text: string): readonly string[] => inspectText(text).forms.map(({ form }) => form)

describe('strongroom inspect', () => {
  it.each(['aes256-gcm96', 'chacha20-poly1305', 'xchacha20-poly1305'] as const)(
    'shows the nonce and the length of a ciphertext of a key of type %s',
    async (type) => {
      await kernel.transit.createKey({ name: type, type })
      await kernel.transit.rotateKey({ name: type })
      const { ciphertext } = await kernel.transit.encrypt({ name: type, plaintext: input })
      const found = inspectText(ciphertext)
      expect(found).toMatchObject({ prefix: 'strongroom', key_version: 2, characters: ciphertext.length })
      const nonceBytes = type === 'xchacha20-poly1305' ? 24 : 12
      const nonce = Buffer.from(ciphertext.split(':')[2] as string, 'base64').subarray(0, nonceBytes)
      expect(found.forms).toContainEqual(expect.objectContaining({ nonce: nonce.toString('hex'), plaintext_bytes: input.length }))
    },
  )

  it.each([
    ['ed25519', 'Ed25519 signature', {}],
    ['ecdsa-p256', 'ECDSA signature in DER form', {}],
    ['ecdsa-p521', 'ECDSA signature in DER form', {}],
    ['ecdsa-p384', 'ECDSA signature in JWS form, curve P-384', { marshaling_algorithm: 'jws' }],
  ] as const)('recognizes a signature of a key of type %s as %s', async (type, form, options) => {
    await kernel.transit.createKey({ name: `sign-${type}`, type })
    const { signature } = await kernel.transit.sign({ name: `sign-${type}`, input, ...options })
    expect(formsOf(signature)).toContain(form)
  })

  it('recognizes an HMAC', async () => {
    await kernel.transit.createKey({ name: 'mac', type: 'hmac' })
    const { hmac } = await kernel.transit.hmac({ name: 'mac', input })
    expect(formsOf(hmac)).toContain('HMAC with SHA-256')
  })

  it('reads the text from standard input and writes JSON', async () => {
    const { ciphertext } = await kernel.transit.encrypt({ name: 'aes256-gcm96', plaintext: input })
    const { code, stdout } = await runInProcess(['inspect', '-', '--json'], `${ciphertext}\n`)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual(inspectText(ciphertext))
  })

  it.each(['', 'x', 'strongroom:v0:AAAA', 'strongroom:v1:', 'strongroom:v1:A A'])('refuses %j', async (text) => {
    expect((await runInProcess(['inspect', text])).code).toBe(2)
  })
})
