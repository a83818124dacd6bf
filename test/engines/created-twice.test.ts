import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../src/index.ts'

let kernel: Kernel
beforeAll(async () => {
  kernel = await createDevKernel()
})
afterAll(() => kernel.close())

const TAKEN = { code: 'ERR_ALREADY_EXISTS', status: 400 }
const send = (path: string, body: object) =>
  kernel.handle({ method: 'POST', path: `/v1/${path}`, body, headers: { 'X-Service-Token': kernel.rootToken as string } })

describe('creating a transit key that exists', () => {
  it('returns the existing key to a typed call with the same settings', async () => {
    for (const settings of [
      {},
      { type: 'hmac' as const, key_size: 64 },
      { derived: true, convergent_encryption: true },
      { exportable: true, allow_plaintext_backup: true, auto_rotate_period: '30d' },
    ]) {
      const name = `same${JSON.stringify(settings).replaceAll(/\W/g, '')}`
      const { keys } = await kernel.transit.createKey({ name, ...settings })
      expect((await kernel.transit.createKey({ name, ...settings })).keys).toEqual(keys)
    }
  })

  it('throws ERR_ALREADY_EXISTS in a typed call with other settings', async () => {
    await kernel.transit.createKey({ name: 'plain' })
    for (const other of [
      { type: 'ed25519' as const },
      { type: 'hmac' as const },
      { derived: true },
      { derived: true, convergent_encryption: true },
      { exportable: true },
      { allow_plaintext_backup: true },
      { auto_rotate_period: '30d' },
    ]) {
      await expect(kernel.transit.createKey({ name: 'plain', ...other })).rejects.toMatchObject(TAKEN)
      const view = kernel.as(kernel.rootToken as string)
      await expect(view.transit.createKey({ name: 'plain', ...other })).rejects.toMatchObject(TAKEN)
    }
    expect(await kernel.transit.readKey({ name: 'plain' })).toMatchObject({ type: 'aes256-gcm96', exportable: false })
  })

  it('returns the existing key in a typed call with the original settings, even if they were changed later', async () => {
    await kernel.transit.createKey({ name: 'tuned' })
    await kernel.transit.configureKey({ name: 'tuned', exportable: true, auto_rotate_period: '30d' })
    expect(await kernel.transit.createKey({ name: 'tuned' })).toMatchObject({ exportable: true })
  })

  it('returns the existing key with a warning in a call by path', async () => {
    const { status, body } = await send('transit/keys/plain', { type: 'ed25519' })
    expect([status, (body as { warnings: unknown }).warnings]).toEqual([
      200,
      ['name: a key named plain already exists and was not changed'],
    ])
  })
})

describe('creating a namespace that exists', () => {
  it('throws ERR_ALREADY_EXISTS in a typed call with other metadata', async () => {
    const custom_metadata = { team: 'a' }
    const { uuid } = await kernel.namespaces.createNamespace({ name: 'kept', custom_metadata })
    expect(await kernel.namespaces.createNamespace({ name: 'kept', custom_metadata })).toMatchObject({ uuid, custom_metadata })
    for (const other of [{}, { custom_metadata: { team: 'b' } }, { custom_metadata: { team: 'a', more: '' } }])
      await expect(kernel.namespaces.createNamespace({ name: 'kept', ...other })).rejects.toMatchObject(TAKEN)
    expect(await kernel.namespaces.readNamespace({ name: 'kept' })).toMatchObject({ custom_metadata })
  })

  it('replaces the metadata in a call by path', async () => {
    const { status, body } = await send('sys/namespaces/kept', {})
    expect([status, (body as { data: object }).data]).toMatchObject([200, { custom_metadata: {} }])
  })
})

describe('a transit key that encrypt creates', () => {
  it('is reported by a warning of the typed call and by the event key.created', async () => {
    const created: string[] = []
    const stop = kernel.events.on('key.created', ({ name }) => void created.push(name))
    const plaintext = new Uint8Array([1])
    const first = await kernel.transit.encrypt({ name: 'misspelled', plaintext })
    expect(first.warnings).toEqual([expect.stringContaining('there was no key named misspelled')])
    expect((await kernel.transit.encrypt({ name: 'misspelled', plaintext })).warnings).toBeUndefined()
    await new Promise((resolve) => setImmediate(resolve))
    expect(created).toEqual(['misspelled'])
    stop()
  })

  it('is reported by no warning in a call by path, and is not created if disable_upsert is set', async () => {
    const { body } = await send('transit/encrypt/by-path', { plaintext: 'YQ==' })
    expect((body as { warnings: unknown }).warnings).toBeNull()
    await kernel.transit.configureKeys({ disable_upsert: true })
    const refused = kernel.transit.encrypt({ name: 'never', plaintext: new Uint8Array(1) })
    await expect(refused).rejects.toMatchObject({ code: 'ERR_NOT_FOUND', status: 400 })
  })
})
