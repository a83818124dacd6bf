import { afterEach, describe, expect, it } from 'vitest'
import { createKernel, type Kernel, keySeal, memoryStorage, shamirSeal } from '../../../../src/index.ts'
import { type FakeClock, fakeClock } from '../../../../src/testing/index.ts'
import { publicKeys, seeingPgp } from '../../../fixtures/seeing-pgp.ts'
import { bytesOf } from '../../../property/support.ts'

const refused = (text: string) => expect.objectContaining({ status: 400, message: expect.stringContaining(text) })
const opened: Kernel[] = []
afterEach(async () => {
  for (const kernel of opened.splice(0)) await kernel.close()
})

async function automatic(more: object = {}): Promise<{ kernel: Kernel; shares: readonly string[] }> {
  const kernel = await createKernel({ storage: memoryStorage(), seal: keySeal(bytesOf(32, 5)), ...more })
  opened.push(kernel)
  const { recovery_keys } = await kernel.seal.initialize({ recovery_shares: 3, recovery_threshold: 2 })
  return { kernel, shares: recovery_keys as readonly string[] }
}

async function manual(more: object = {}): Promise<{ kernel: Kernel; shares: readonly string[] }> {
  const kernel = await createKernel({ storage: memoryStorage(), seal: shamirSeal(), ...more })
  opened.push(kernel)
  const { keys } = await kernel.seal.initialize({ secret_shares: 3, secret_threshold: 2 })
  for (const key of keys.slice(0, 2)) await kernel.seal.unseal({ key })
  return { kernel, shares: keys }
}

describe('rekey calls of the application', () => {
  it('accept key shares as text or as bytes, which they do not change', async () => {
    const { kernel, shares } = await manual()
    const { nonce } = await kernel.rekey.init({ secret_shares: 2, secret_threshold: 2 })
    const bytes = new Uint8Array(Buffer.from(shares[0] as string, 'hex'))
    expect(await kernel.rekey.update({ key: bytes, nonce })).toMatchObject({ progress: 1, required: 2 })
    expect(Buffer.from(bytes).toString('hex')).toBe(shares[0])
    await expect(kernel.rekey.update({ key: shares[0] as string, nonce })).rejects.toEqual(refused('already been provided'))
    const { keys, keys_base64 } = await kernel.rekey.update({ key: shares[1] as string, nonce })
    expect(keys?.map((key) => Buffer.from(key, 'hex').toString('base64'))).toEqual(keys_base64)
  })

  it('refuse arguments of the wrong type, and key shares that are too short', async () => {
    const { kernel } = await manual()
    await expect(kernel.rekey.init({ secret_shares: '2' as never, secret_threshold: 2 })).rejects.toThrow(TypeError)
    await expect(kernel.rekey.update({ key: 7 as never, nonce: 'x' })).rejects.toThrow(TypeError)
    await expect(kernel.rekey.update({ key: bytesOf(15, 1), nonce: 'x' })).rejects.toEqual(refused('shorter than minimum 16'))
    await expect(kernel.rekey.recovery.init({ secret_shares: 2, secret_threshold: 2 })).rejects.toEqual(refused('not supported'))
  })

  it('succeed even if the endpoints are disabled for calls by path', async () => {
    const { kernel, shares } = await manual({ unauthenticated: { rekey: false, generateRoot: false } })
    for (const path of ['rekey/init', 'rekey-recovery-key/init', 'generate-root/attempt'])
      expect(await kernel.handle({ method: 'GET', path: `/v1/sys/${path}` })).toMatchObject({
        status: 404,
        body: { errors: [expect.any(String)] },
      })
    // A DR secondary has no tokens, so this endpoint cannot require one.
    expect(
      await kernel.handle({ method: 'GET', path: '/v1/sys/replication/dr/secondary/generate-operation-token/attempt' }),
    ).toMatchObject({ status: 200 })
    const { nonce } = await kernel.rekey.init({ secret_shares: 1, secret_threshold: 1 })
    for (const key of shares.slice(0, 2)) await kernel.rekey.update({ key, nonce })
    expect(await kernel.rekey.readStatus()).toMatchObject({ started: false, required: 1 })
  })

  it('are refused in a child namespace', async () => {
    const { kernel } = await manual()
    await kernel.namespaces.createNamespace({ name: 'team' })
    await expect(kernel.namespace('team/').rekey.readStatus()).rejects.toMatchObject({ status: 400 })
    await expect(kernel.namespace('team/').generateRoot.init()).rejects.toMatchObject({ status: 400 })
  })
})

describe('a rekey', () => {
  it('can produce any number of key shares from 1 to 255', async () => {
    const { kernel, shares } = await automatic()
    let present = shares.slice(0, 2)
    for (const [secret_shares, secret_threshold] of [
      [255, 2],
      [255, 255],
      [1, 1],
      [254, 128],
      [2, 2],
    ] as const) {
      const { nonce } = await kernel.rekey.recovery.init({ secret_shares, secret_threshold })
      let made: readonly string[] = []
      for (const key of present) made = (await kernel.rekey.recovery.update({ key, nonce })).keys ?? []
      expect(new Set(made).size).toBe(secret_shares)
      present = made.slice(-secret_threshold)
    }
  })
})

describe('a rekey with PGP keys', () => {
  it('returns encrypted key shares, and stores a backup of them until it is deleted', async () => {
    const pgp = seeingPgp()
    const { kernel, shares } = await automatic({ ports: { pgp } })
    const { recovery } = kernel.rekey
    const [anna, bert] = publicKeys(2) as [string, string]
    const pgp_keys = [anna, bert, anna]
    const { nonce, pgp_fingerprints } = await recovery.init({ secret_shares: 3, secret_threshold: 2, pgp_keys, backup: true })
    expect(pgp_fingerprints).toEqual(await Promise.all(pgp_keys.map((key) => pgp.fingerprint(key))))
    await recovery.update({ key: shares[0] as string, nonce })
    const done = await recovery.update({ key: shares[1] as string, nonce })
    expect(done).toMatchObject({ complete: true, backup: true, pgp_fingerprints })
    expect(done.keys?.map((key) => Buffer.from(key, 'hex').toString())).toEqual(pgp.seen.map((share) => `message with ${share}`))
    const backup = await recovery.readBackup()
    const [first, second, third] = done.keys as [string, string, string]
    // A fingerprint that occurs twice has a list of shares; spec document 2 has one share per fingerprint.
    expect(backup).toMatchObject({
      nonce,
      keys: { [await pgp.fingerprint(anna)]: [first, third], [await pgp.fingerprint(bert)]: second },
      keys_base64: { [await pgp.fingerprint(bert)]: done.keys_base64?.[1] },
    })
    await expect(kernel.rekey.readBackup()).rejects.toEqual(refused('no backed-up keys'))

    // A later rekey without a backup does not change the stored backup.
    const again = await recovery.init({ secret_shares: 1, secret_threshold: 1 })
    for (const key of pgp.seen.slice(0, 2)) await recovery.update({ key, nonce: again.nonce })
    expect(await recovery.readBackup()).toEqual(backup)
    await recovery.deleteBackup()
    await recovery.deleteBackup()
    await expect(recovery.readBackup()).rejects.toEqual(refused('no backed-up keys'))
  })

  it('replaces the backup only when the new key shares take effect', async () => {
    const pgp = seeingPgp()
    const { kernel, shares } = await manual({ ports: { pgp } })
    const wish = { secret_shares: 2, secret_threshold: 2, pgp_keys: publicKeys(2), backup: true, require_verification: true }
    const issue = async (present: readonly string[]): Promise<string> => {
      pgp.seen.length = 0
      const { nonce } = await kernel.rekey.init(wish)
      await kernel.rekey.update({ key: present[0] as string, nonce })
      return (await kernel.rekey.update({ key: present[1] as string, nonce })).verification_nonce as string
    }
    const verify = async (nonce: string) => {
      for (const key of pgp.seen) await kernel.rekey.verify({ key, nonce })
    }
    const nonce = await issue(shares)
    await expect(kernel.rekey.readBackup()).rejects.toEqual(refused('no backed-up keys'))
    await verify(nonce)
    const backup = await kernel.rekey.readBackup()
    const present = [...pgp.seen]
    await issue(present)
    expect(await kernel.rekey.readBackup()).toEqual(backup)
    await kernel.rekey.cancel()
    await verify(await issue(present))
    expect((await kernel.rekey.readBackup()).nonce).not.toBe(backup.nonce)
  })

  it('is refused before it begins if ports.pgp is missing', async () => {
    const { kernel } = await automatic()
    const [key] = publicKeys(1) as [string]
    const wish = { secret_shares: 1, secret_threshold: 1, pgp_keys: [key] }
    await expect(kernel.rekey.recovery.init(wish)).rejects.toEqual(refused('ports.pgp'))
    await expect(kernel.generateRoot.init({ pgp_key: key })).rejects.toEqual(refused('ports.pgp'))
    expect(await kernel.rekey.recovery.readStatus()).toMatchObject({ started: false })
    expect(await kernel.generateRoot.readStatus()).toMatchObject({ started: false })
  })

  it('keeps its attempt if the PGP encryption fails, so that the key shares can be entered again', async () => {
    const pgp = seeingPgp()
    let broken = false
    const failing = {
      ...pgp,
      encrypt: (bytes: Uint8Array, publicKey: string) =>
        broken ? Promise.reject(new Error('no')) : pgp.encrypt(bytes, publicKey),
    }
    const { kernel, shares } = await automatic({ ports: { pgp: failing } })
    const { recovery } = kernel.rekey
    const { nonce } = await recovery.init({ secret_shares: 1, secret_threshold: 1, pgp_keys: publicKeys(1), backup: true })
    await recovery.update({ key: shares[0] as string, nonce })
    broken = true
    await expect(recovery.update({ key: shares[1] as string, nonce })).rejects.toMatchObject({ status: 502 })
    expect(await recovery.readStatus()).toMatchObject({ started: true, nonce, progress: 0, required: 2 })
    broken = false
    await recovery.update({ key: shares[1] as string, nonce })
    expect(await recovery.update({ key: shares[2] as string, nonce })).toMatchObject({ complete: true })
  })
})

describe('an operation token', () => {
  it('can be used exactly once to delete itself', async () => {
    const { kernel, shares } = await manual()
    const { nonce, otp } = await kernel.generateOperationToken.init()
    await expect(kernel.generateRoot.update({ key: shares[0] as string, nonce })).rejects.toEqual(refused('another type'))
    await kernel.generateOperationToken.update({ key: shares[0] as string, nonce })
    const { encoded_token } = await kernel.generateOperationToken.update({ key: shares[1] as string, nonce })
    const { token: dr_operation_token } = await kernel.generateRoot.decodeToken({ encoded_token, otp })
    await expect(kernel.generateOperationToken.deleteToken({ dr_operation_token: '' })).rejects.toEqual(
      refused('dr_operation_token'),
    )
    await expect(kernel.generateOperationToken.deleteToken({ dr_operation_token: 'b.AAAA' })).rejects.toEqual(refused('batch'))
    await expect(kernel.generateOperationToken.deleteToken({ dr_operation_token: 's.none' })).rejects.toMatchObject({
      status: 403,
    })
    await kernel.generateOperationToken.deleteToken({ dr_operation_token })
    await expect(kernel.generateOperationToken.deleteToken({ dr_operation_token })).rejects.toMatchObject({ status: 403 })
  })

  it('appears neither in the store nor in the audit log, nor do key shares and one-time pads', async () => {
    const storage = memoryStorage()
    const log: string[] = []
    const sink = { write: async (entry: unknown) => void log.push(JSON.stringify(entry)) }
    const { kernel, shares } = await manual({ storage, ports: { audit: { sinks: { log: sink } } } })
    const { nonce, otp } = await kernel.generateOperationToken.init()
    await kernel.generateOperationToken.update({ key: shares[0] as string, nonce })
    const { encoded_token } = await kernel.generateOperationToken.update({ key: shares[1] as string, nonce })
    const { token } = await kernel.generateRoot.decodeToken({ encoded_token, otp })
    const begun = await kernel.rekey.init({ secret_shares: 2, secret_threshold: 2, require_verification: true })
    await kernel.rekey.update({ key: shares[0] as string, nonce: begun.nonce })
    const { keys } = await kernel.rekey.update({ key: shares[1] as string, nonce: begun.nonce })
    const held = [...shares, ...(keys ?? [])]
    const secrets = [...[token, otp, ...held].map((text) => Buffer.from(text)), ...held.map((text) => Buffer.from(text, 'hex'))]
    expect(log.join('')).toContain('rekey/update')
    for (const text of [token, otp, ...held]) expect(log.join('')).not.toContain(text)
    for (const { key, value } of await storage.scan(''))
      for (const secret of secrets) expect([key, Buffer.from(value).includes(secret)]).toEqual([key, false])
  })
})

describe('a rekey attempt', () => {
  it('can still be completed after a year', async () => {
    const clock: FakeClock = fakeClock()
    const { kernel, shares } = await automatic({ clock })
    const { nonce } = await kernel.rekey.recovery.init({ secret_shares: 1, secret_threshold: 1 })
    await kernel.rekey.recovery.update({ key: shares[0] as string, nonce })
    await clock.advance(365 * 86_400_000)
    expect(await kernel.rekey.recovery.update({ key: shares[1] as string, nonce })).toMatchObject({ complete: true })
  })
})
