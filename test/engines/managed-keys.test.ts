import { describe, expect, it } from 'vitest'
import { createDevKernel, createKernel, type Kernel, keySeal, memoryStorage } from '../../src/index.ts'
import { fakeManagedKeys } from '../../src/testing/index.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)
const KEYS = [{ name: 'billing', id: '0c6a61a5-a4a0-4a3c-b6a4-0a3c5cb0a001' }, { name: 'next' }]

async function world() {
  const managedKeys = fakeManagedKeys({ keys: KEYS })
  const kernel = await createDevKernel({ ports: { managedKeys } })
  await kernel.transit.createKey({ name: 'k', type: 'managed_key', managed_key_name: 'billing' })
  const path = async (path: string, body: object) => {
    const headers = { 'X-Service-Token': kernel.rootToken }
    const { status, body: answer } = await kernel.handle({ method: 'POST', path: `/v1/transit/${path}`, headers, body })
    return { status, data: (answer as { data?: Record<string, unknown> } | undefined)?.data }
  }
  return { managedKeys, kernel, path }
}

const refusal = (call: Promise<unknown>) => call.then(() => undefined).catch((error: unknown) => error)

describe('a managed transit key', () => {
  it('encrypts and decrypts in the external key manager, in single calls and batches', async () => {
    const { kernel, managedKeys, path } = await world()
    const associated_data = utf8('aad')
    const { ciphertext, key_version } = await kernel.transit.encrypt({ name: 'k', plaintext: utf8('text'), associated_data })
    expect([ciphertext.startsWith('strongroom:v1:'), key_version]).toEqual([true, 1])
    expect((await kernel.transit.decrypt({ name: 'k', ciphertext, associated_data })).plaintext).toEqual(utf8('text'))
    expect(await refusal(kernel.transit.decrypt({ name: 'k', ciphertext }))).toMatchObject({ code: 'ERR_DECRYPTION_FAILED' })
    const { batch_results } = await kernel.transit.encryptBatch({
      name: 'k',
      batch_input: [{ plaintext: utf8('a') }, { plaintext: utf8('b'), key_version: 2 }, { plaintext: utf8('c') }],
    })
    expect(batch_results.map(({ error }) => error?.status)).toEqual([undefined, 400, undefined])
    const opened = await kernel.transit.decryptBatch({
      name: 'k',
      batch_input: [batch_results[2], batch_results[0]].map((result) => ({
        ciphertext: (result as { ciphertext: string }).ciphertext,
      })),
    })
    expect(opened.batch_results.map((result) => result.error ?? new TextDecoder().decode(result.plaintext))).toEqual(['c', 'a'])
    expect(await path('encrypt/k', { plaintext: 'eA==' })).toMatchObject({ status: 200, data: { key_version: 1 } })
    expect(managedKeys.calls.filter((call) => call === 'encrypt billing')).toHaveLength(4)
  })

  it('creates data keys and rewraps ciphertexts in the external key manager', async () => {
    const { kernel } = await world()
    const made = await kernel.transit.generateDataKey({ name: 'k', kind: 'plaintext' })
    expect(made.plaintext).toHaveLength(32)
    expect((await kernel.transit.decrypt({ name: 'k', ciphertext: made.ciphertext })).plaintext).toEqual(made.plaintext)
    await kernel.transit.rotateKey({ name: 'k', managed_key_name: 'next' })
    const again = await kernel.transit.rewrap({ name: 'k', ciphertext: made.ciphertext })
    expect(again.key_version).toBe(2)
    expect((await kernel.transit.decrypt({ name: 'k', ciphertext: again.ciphertext })).plaintext).toEqual(made.plaintext)
    expect((await kernel.transit.generateDataKey({ name: 'k', kind: 'wrapped' })).plaintext).toBeUndefined()
  })

  it('signs and verifies in the external key manager, and returns its public key', async () => {
    const { kernel } = await world()
    const input = utf8('signed')
    for (const marshaling_algorithm of ['asn1', 'jws'] as const) {
      const { signature } = await kernel.transit.sign({ name: 'k', input, marshaling_algorithm })
      const verify = (text: Uint8Array) => kernel.transit.verify({ name: 'k', input: text, signature, marshaling_algorithm })
      expect([(await verify(input)).valid, (await verify(utf8('other'))).valid]).toEqual([true, false])
    }
    const { keys, ...record } = await kernel.transit.readKey({ name: 'k' })
    expect(record).toMatchObject({
      type: 'managed_key',
      supports_encryption: true,
      supports_signing: true,
      supports_derivation: false,
    })
    expect(keys['1']).toMatchObject({ name: 'managed_key', public_key: expect.stringContaining('BEGIN PUBLIC KEY') })
  })

  it('can be named by id, and its rotation must name the next managed key', async () => {
    const { kernel, managedKeys } = await world()
    await kernel.transit.createKey({ name: 'by-id', type: 'managed_key', managed_key_id: KEYS[0]!.id! })
    await kernel.transit.encrypt({ name: 'by-id', plaintext: utf8('x') })
    expect(managedKeys.calls.at(-1)).toBe(`encrypt ${KEYS[0]!.id}`)
    expect(await refusal(kernel.transit.rotateKey({ name: 'k' }))).toMatchObject({ status: 400 })
    expect(await refusal(kernel.transit.rotateKey({ name: 'k', managed_key_name: 'unknown' }))).toMatchObject({ status: 404 })
    expect((await kernel.transit.readKey({ name: 'k' })).latest_version).toBe(1)
  })

  it('refuses HMACs, derivation, automatic rotation and certificate requests with 400', async () => {
    const { kernel } = await world()
    const refusals = [
      kernel.transit.hmac({ name: 'k', input: utf8('x') }),
      kernel.transit.configureKey({ name: 'k', auto_rotate_period: '1h' }),
      kernel.transit.createKey({ name: 'l', type: 'managed_key', managed_key_name: 'next', auto_rotate_period: '1h' }),
      kernel.transit.createKey({ name: 'l', type: 'managed_key' }),
      kernel.transit.createKey({ name: 'l', type: 'managed_key', managed_key_name: 'next', derived: true }),
      kernel.transit.signCsr({ name: 'k' }),
    ]
    for (const refused of refusals) expect(await refusal(refused)).toMatchObject({ status: 400 })
    expect((await kernel.transit.listKeys()).keys).toEqual(['k'])
  })

  it('fails with 502 while the key manager fails, and the message does not contain the key manager’s text', async () => {
    const { kernel, managedKeys, path } = await world()
    managedKeys.fail(new Error('slot 3, pin 1234'))
    const error = await refusal(kernel.transit.encrypt({ name: 'k', plaintext: utf8('x') }))
    expect(error).toMatchObject({ status: 502, code: 'ERR_UPSTREAM', cause: { message: 'slot 3, pin 1234' } })
    expect((error as Error).message).not.toContain('1234')
    expect(await path('encrypt/k', { plaintext: 'eA==' })).toMatchObject({ status: 502 })
    managedKeys.fail()
    expect(await path('encrypt/k', { plaintext: 'eA==' })).toMatchObject({ status: 200 })
  })

  it('is refused if the kernel has no managedKeys port, with a message that names the port', async () => {
    const storage = memoryStorage()
    const seal = keySeal(new Uint8Array(32))
    const ports = { managedKeys: fakeManagedKeys({ keys: KEYS }) }
    const first = await createKernel({ storage, seal, initialize: true, ports })
    await first.transit.createKey({ name: 'k', type: 'managed_key', managed_key_name: 'billing' })
    await first.close()
    const without: Kernel = await createKernel({ storage, seal })
    const create = without.transit.createKey({ name: 'l', type: 'managed_key', managed_key_name: 'billing' })
    expect(await refusal(create)).toMatchObject({
      status: 400,
      message: expect.stringContaining('ports.managedKeys of createKernel'),
    })
    const use = without.transit.encrypt({ name: 'k', plaintext: utf8('x') })
    expect(await refusal(use)).toMatchObject({
      status: 400,
      message: expect.stringContaining('ports.managedKeys of createKernel'),
    })
    await without.close()
  })

  it('requires a managedKeys port that has all methods', async () => {
    const { encrypt: _, ...partial } = fakeManagedKeys({ keys: KEYS })
    await expect(createDevKernel({ ports: { managedKeys: partial as never } })).rejects.toThrow(TypeError)
    await expect(createDevKernel({ ports: { hsm: {} } as never })).rejects.toThrow('unknown port hsm')
  })
})

it('managed_key_name and managed_key_id are ignored for keys of other types', async () => {
  const kernel = await createDevKernel()
  await kernel.transit.createKey({ name: 'k', managed_key_name: 'billing' })
  expect((await kernel.transit.rotateKey({ name: 'k', managed_key_id: 'x' })).latest_version).toBe(2)
})
