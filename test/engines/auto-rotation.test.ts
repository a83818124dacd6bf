import { describe, expect, it } from 'vitest'
import { KEY_TYPE_NAMES, keyType } from '../../src/engines/transit/key-types/index.ts'
import type { Kernel } from '../../src/index.ts'
import { fakeClock, fakeManagedKeys } from '../../src/testing/index.ts'
import { spkiOf } from '../fixtures/certificates.ts'
import { usePreparedRsaKeys } from '../fixtures/prepared-rsa-keys.ts'
import { kernelWithWrappingKey } from '../fixtures/wrapping-kernel.ts'
import { base64, bytesOf } from '../property/support.ts'
import { TIER } from '../tiers.ts'
import { importByPath } from './import-blob.ts'

usePreparedRsaKeys()

const HOUR = 3_600_000
const HERE = KEY_TYPE_NAMES.filter((type) => !keyType(type).isManaged)
/** Generating keys of these types takes up to seconds. */
const LARGE = ['rsa-3072', 'rsa-4096']
const TYPES = HERE.filter((type) => TIER === 'soak' || !LARGE.includes(type))

async function world() {
  const clock = fakeClock()
  const kernel = await kernelWithWrappingKey({ clock, ports: { managedKeys: fakeManagedKeys({ keys: [{ name: 'm' }] }) } })
  const anHourLater = async () => {
    await clock.advance(HOUR + 1)
    return kernel.tick()
  }
  return { kernel, anHourLater }
}

const shown = async (kernel: Kernel, name: string) => {
  const { latest_version, imported } = await kernel.transit.readKey({ name })
  return { latest_version, imported }
}

describe('automatic key rotation', () => {
  it('rotates keys of every type whose key bytes the kernel stores', async () => {
    const { kernel, anHourLater } = await world()
    for (const type of TYPES) await kernel.transit.createKey({ name: type, type, auto_rotate_period: '1h' })
    expect(await anHourLater()).toMatchObject({ done: TYPES.length, failed: [] })
    for (const type of TYPES) expect(await shown(kernel, type)).toEqual({ latest_version: 2, imported: false })
    await kernel.close()
  })

  it('rotates imported symmetric, HMAC and Ed25519 keys only if allow_rotation is set', async () => {
    const { kernel, anHourLater } = await world()
    const settings = { allow_rotation: true, auto_rotate_period: '1h' }
    const raw = { 'aes128-gcm96': 16, 'aes256-gcm96': 32, 'chacha20-poly1305': 32, 'xchacha20-poly1305': 32, hmac: 100 }
    for (const [type, length] of Object.entries(raw)) await importByPath(kernel, type, type, bytesOf(length, 1), settings)
    const pkcs8 = Uint8Array.from([...Buffer.from('302e020100300506032b657004220420', 'hex'), ...bytesOf(32, 2)])
    await importByPath(kernel, 'ed25519', 'ed25519', pkcs8, settings)
    const spki = base64(await spkiOf(kernel, 'ed25519'))
    const public_key = `-----BEGIN PUBLIC KEY-----\n${spki}\n-----END PUBLIC KEY-----\n`
    await kernel.transit.importKey({ name: 'public', type: 'ed25519', public_key, ...settings })
    await importByPath(kernel, 'fixed', 'aes256-gcm96', bytesOf(32, 3))
    await kernel.transit.configureKey({ name: 'fixed', auto_rotate_period: '1h' })
    const names = [...Object.keys(raw), 'ed25519', 'public']
    expect(await anHourLater()).toMatchObject({ done: names.length, failed: [] })
    for (const name of names) expect(await shown(kernel, name)).toEqual({ latest_version: 2, imported: false })
    expect(await shown(kernel, 'fixed')).toEqual({ latest_version: 1, imported: true })
    // The key was imported as a public key and now has a private half; the HMAC key keeps its imported length.
    expect((await kernel.transit.sign({ name: 'public', input: bytesOf(3, 1) })).key_version).toBe(2)
    expect((await kernel.transit.readKey({ name: 'hmac' })).key_size).toBe(100)
    await kernel.close()
  })

  it('is refused for managed keys, and waits while a key is soft-deleted', async () => {
    const { kernel, anHourLater } = await world()
    await kernel.transit.createKey({ name: 'm', type: 'managed_key', managed_key_name: 'm' })
    await expect(kernel.transit.configureKey({ name: 'm', auto_rotate_period: '1h' })).rejects.toMatchObject({ status: 400 })
    for (const name of ['a', 'b', 'c']) await kernel.transit.createKey({ name, auto_rotate_period: '1h' })
    await kernel.transit.softDeleteKey({ name: 'b' })
    const { done, failed } = await anHourLater()
    expect([done, failed.map(({ id }) => id)]).toEqual([2, ['b']])
    await kernel.transit.undeleteKey({ name: 'b' })
    expect(await kernel.tick()).toMatchObject({ done: 1, failed: [] })
    for (const name of ['a', 'b', 'c']) expect(await shown(kernel, name)).toEqual({ latest_version: 2, imported: false })
    await kernel.close()
  })
})
