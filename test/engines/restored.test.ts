/** Restored and imported keys in daily use. */
import { generateKeyPairSync } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { createDevKernel, createKernel, type Kernel, keySeal, memoryStorage, type Storage } from '../../src/index.ts'
import { chaoticStorage, fakeClock, seededEntropy } from '../../src/testing/index.ts'
import { usePreparedRsaKeys } from '../fixtures/prepared-rsa-keys.ts'
import { kernelWithWrappingKey, storeWithWrappingKey } from '../fixtures/wrapping-kernel.ts'
import { ask, base64, bytesOf } from '../property/support.ts'
import { backupText, encoded, restoreText } from './hostile/refusals.ts'
import { wrapped, wrappingKey } from './import-blob.ts'

usePreparedRsaKeys()

const kernels: Kernel[] = []
afterEach(async () => {
  for (const kernel of kernels.splice(0)) await kernel.close()
})

async function dev(storage?: Storage): Promise<Kernel> {
  const kernel = await createDevKernel(storage ? { storage } : {})
  kernels.push(kernel)
  return kernel
}

/** Versions of an AES key with different key bytes. */
const versions = (from: number, to: number) =>
  Object.fromEntries(
    Array.from({ length: to - from + 1 }, (_, index) => [from + index, { key: base64(bytesOf(32, from + index)) }]),
  )

const materialIn = async (storage: Storage) =>
  (await storage.scan('')).filter(({ key }) => key.split('/')[2] === 'material').length

describe('a restored transit key', () => {
  it('with 2,000 versions can be exported, backed up and restored a second time', async () => {
    const storage = memoryStorage()
    const kernel = await dev(storage)
    const policy = { latest_version: 2000, allow_plaintext_backup: true }
    expect((await restoreText(kernel, backupText({ policy, keys: versions(1, 2000) }))).status).toBe(204)
    const { keys } = await kernel.transit.exportKey({ key_type: 'encryption-key', name: 'planted' })
    expect([Object.keys(keys).length, keys['1234']]).toEqual([2000, base64(bytesOf(32, 1234))])
    const { backup } = await kernel.transit.backupKey({ name: 'planted' })
    const { ciphertext } = await kernel.transit.encrypt({ name: 'planted', key_version: 1999, plaintext: bytesOf(5, 5) })
    await kernel.transit.restoreKey({ backup, force: true })
    expect((await kernel.transit.decrypt({ name: 'planted', ciphertext })).plaintext).toEqual(bytesOf(5, 5))
    for (let tick = await kernel.tick(); tick.done > 0; tick = await kernel.tick()) expect(tick.failed).toEqual([])
    expect(await materialIn(storage)).toBe(2000)
  })

  it('can be backed up again on a storage that delays and reorders its answers', async () => {
    const kernel = await dev(chaoticStorage(memoryStorage({ maxOps: 128 }), { entropy: seededEntropy('late') }))
    const policy = { latest_version: 60, allow_plaintext_backup: true }
    expect((await restoreText(kernel, backupText({ policy, keys: versions(1, 60) }))).status).toBe(204)
    await kernel.seal.seal()
    await kernel.seal.unseal()
    const { backup } = await kernel.transit.backupKey({ name: 'planted' })
    expect(JSON.parse(Buffer.from(backup, 'base64').toString()).policy.keys['60'].key).toBe(base64(bytesOf(32, 60)))
  })

  it('has the key versions in `keys` and `archived_keys` of the backup, and cannot use a version that neither contains', async () => {
    const kernel = await dev()
    const archived = [null, ...Object.values(versions(1, 4))]
    const policy = { latest_version: 4, min_decryption_version: 3 }
    const text = backupText({ policy, keys: versions(4, 4), archived_keys: { keys: archived } })
    expect((await restoreText(kernel, text)).status).toBe(204)
    await kernel.transit.configureKey({ name: 'planted', min_decryption_version: 1 })
    const { keys } = await kernel.transit.exportKey({ key_type: 'encryption-key', name: 'planted' })
    expect(keys).toEqual(Object.fromEntries(Object.entries(versions(1, 4)).map(([version, { key }]) => [version, key])))

    const holes = backupText({
      policy: { ...policy, name: 'holes' },
      keys: versions(3, 4),
      archived_keys: { keys: [null, { key: null }] },
    })
    expect((await restoreText(kernel, holes)).status).toBe(204)
    for (const min_decryption_version of [1, 2])
      await expect(kernel.transit.configureKey({ name: 'holes', min_decryption_version })).rejects.toMatchObject({ status: 400 })
    await expect(kernel.transit.rotateKey({ name: 'holes' })).resolves.toMatchObject({ latest_version: 5 })
  })

  it('has all settings that the backup contains', async () => {
    const kernel = await dev()
    const settings = { exportable: true, allow_plaintext_backup: true, deletion_allowed: true, soft_deleted: true }
    const policy = {
      ...settings,
      auto_rotate_period: 7200e9,
      Imported: true,
      AllowImportedKeyRotation: true,
      min_encryption_version: 1,
    }
    expect((await restoreText(kernel, backupText({ policy }))).status).toBe(204)
    const record = await kernel.transit.readKey({ name: 'planted' })
    expect(record).toMatchObject({ ...settings, auto_rotate_period: 7200, imported: true, imported_key_allow_rotation: true })
    expect(record.keys).toEqual({ 1: 1767323045 })
    await expect(kernel.transit.encrypt({ name: 'planted', plaintext: bytesOf(1, 1) })).rejects.toMatchObject({ status: 400 })
  })

  it('is rotated by a tick when its `auto_rotate_period` has passed', async () => {
    const clock = fakeClock()
    const kernel = await createDevKernel({ clock })
    kernels.push(kernel)
    const restored = new Date(clock.now()).toISOString()
    const policy = { auto_rotate_period: 3600e9 }
    await restoreText(kernel, backupText({ policy, version: { time: restored } }))
    await clock.advance(3_599_000)
    expect((await kernel.tick()).done).toBe(0)
    await clock.advance(2000)
    expect((await kernel.tick()).done).toBe(1)
    expect((await kernel.transit.readKey({ name: 'planted' })).latest_version).toBe(2)
  })

  it('reports the creation time that its backup contains as a timestamp or in seconds, or the restore time if it contains none', async () => {
    const clock = fakeClock()
    const kernel = await createDevKernel({ clock })
    kernels.push(kernel)
    const made = (name: string, version: object) =>
      restoreText(kernel, backupText({ policy: { name }, version: { creation_time: null, ...version } }))
    await made('zone', { time: '2017-12-08T11:50:08.613837-05:00' })
    await made('seconds', { time: null, creation_time: 1512751808 })
    await made('zero', { time: '0001-01-01T00:00:00Z', creation_time: 1512751808 })
    await made('none', { time: null })
    const shown = async (name: string) => (await kernel.transit.readKey({ name })).keys['1']
    expect([await shown('zone'), await shown('seconds'), await shown('zero')]).toEqual([1512751808, 1512751808, 1512751808])
    expect(await shown('none')).toBe(Math.floor(clock.now() / 1000))
  })
})

describe('two kernels that share a store', () => {
  it('use a private key that the other kernel imported, and a key that the other kernel replaced by a restore', async () => {
    const { storage, seal } = await storeWithWrappingKey()
    const first = await createKernel({ storage, seal })
    const second = await createKernel({ storage, seal })
    kernels.push(first, second)
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const public_key = publicKey.export({ type: 'spki', format: 'pem' }) as string
    await first.transit.importKey({ name: 'pair', type: 'ecdsa-p256', public_key })
    const input = bytesOf(20, 1)
    for (const kernel of [first, second]) {
      await expect(kernel.transit.sign({ name: 'pair', input })).rejects.toMatchObject({ status: 400 })
      await kernel.transit.hmac({ name: 'pair', input })
    }
    const { hmac } = await second.transit.hmac({ name: 'pair', input })
    const material = privateKey.export({ type: 'pkcs8', format: 'der' })
    expect(await wrappingKey(second)).toBe(await wrappingKey(first))
    await second.transit.importKeyVersion({ name: 'pair', ciphertext: wrapped(await wrappingKey(first), material) })
    const { signature, key_version } = await first.transit.sign({ name: 'pair', input })
    expect(key_version).toBe(1)
    expect((await second.transit.verify({ name: 'pair', input, signature })).valid).toBe(true)
    expect((await first.transit.verify({ name: 'pair', input, hmac })).valid).toBe(true)

    await first.transit.restoreKey({ backup: encoded(backupText()) })
    const { ciphertext } = await second.transit.encrypt({ name: 'planted', plaintext: input })
    await first.transit.restoreKey({ backup: encoded(backupText({ version: { key: base64(bytesOf(32, 77)) } })), force: true })
    await expect(second.transit.decrypt({ name: 'planted', ciphertext })).rejects.toMatchObject({ code: 'ERR_DECRYPTION_FAILED' })
  })

  it('return the same wrapping key when both are first asked for it concurrently', async () => {
    const storage = memoryStorage()
    const seal = keySeal(bytesOf(32, 9))
    const first = await createKernel({ storage, seal, initialize: true })
    const second = await createKernel({ storage, seal })
    kernels.push(first, second)
    const shown = await Promise.all([first, second].map(wrappingKey))
    expect(new Set(shown).size).toBe(1)
    await second.transit.importKey({ name: 'k', type: 'aes256-gcm96', ciphertext: wrapped(shown[0] as string, bytesOf(32, 1)) })
    expect((await first.transit.listKeys()).keys).toEqual(['k'])
  })
})

describe('the wrapping key of transit', () => {
  it('is the same after a seal and unseal, and is neither listed nor readable by name', async () => {
    const kernel = await kernelWithWrappingKey()
    kernels.push(kernel)
    const shown = await wrappingKey(kernel)
    expect((await kernel.transit.listKeys()).keys).toEqual([])
    for (const path of [
      'keys/import/wrapping-key',
      'keys/wrapping_key',
      'keys/key',
      'export/public-key/wrapping_key',
      'backup/wrapping_key',
    ])
      expect((await ask(kernel, 'GET', path)).status).toBe(404)
    await kernel.seal.seal()
    await kernel.seal.unseal()
    expect(await wrappingKey(kernel)).toBe(shown)
    await kernel.transit.importKey({ name: 'k', type: 'aes256-gcm96', ciphertext: wrapped(shown, bytesOf(32, 1)) })
  })
})

describe('deletion and trimming of transit keys', () => {
  it('remove all key bytes from the store, even of a private key that was imported after its public key', async () => {
    const store = await storeWithWrappingKey()
    const { storage } = store
    const kernel = await kernelWithWrappingKey({}, store)
    kernels.push(kernel)
    const policy = { latest_version: 100, deletion_allowed: true }
    await restoreText(kernel, backupText({ policy, keys: versions(1, 100) }))
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    await kernel.transit.importKey({
      name: 'pair',
      type: 'ed25519',
      public_key: publicKey.export({ type: 'spki', format: 'pem' }) as string,
    })
    const material = privateKey.export({ type: 'pkcs8', format: 'der' })
    await kernel.transit.importKeyVersion({ name: 'pair', ciphertext: wrapped(await wrappingKey(kernel), material), version: 1 })
    expect(await materialIn(storage)).toBe(101)
    await kernel.transit.configureKey({ name: 'planted', min_encryption_version: 90, min_decryption_version: 90 })
    await kernel.transit.trimKey({ name: 'planted', min_available_version: 90 })
    const settle = async () => {
      for (let tick = await kernel.tick(); tick.done > 0; tick = await kernel.tick()) expect(tick.failed).toEqual([])
    }
    await settle()
    expect(await materialIn(storage)).toBe(12)
    await kernel.transit.deleteKey({ name: 'planted' })
    await kernel.transit.configureKey({ name: 'pair', deletion_allowed: true })
    await kernel.transit.deleteKey({ name: 'pair' })
    await settle()
    expect(await materialIn(storage)).toBe(0)
  })
})
