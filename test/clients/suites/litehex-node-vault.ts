/**
 * Uses the unmodified client `@litehex/node-vault`. It validates every answer with its own schema, so returned data have the form that it
 * expects from a Vault server.
 */
import { Client } from '@litehex/node-vault'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Servers, VaultServer } from '../servers.ts'

/** Defines tests with one new server for all of them. */
export function describeLitehexNodeVault(servers: Servers): void {
  let server: VaultServer
  let vault: Client

  beforeAll(async () => {
    server = await servers.ready()
    vault = new Client({ endpoint: server.endpoint, token: server.token })
  })
  afterAll(() => server.close())

  /** Returns the data of a call, or the error that the client created. */
  async function ok<T>(call: Promise<{ data?: T; error?: unknown }>): Promise<T> {
    const { data, error } = await call
    if (error) throw Object.assign(new Error(String(error)), { cause: (error as Error).cause })
    return data as T
  }

  const message = async (call: Promise<{ error?: unknown }>) => String(((await call).error as Error | undefined)?.message)

  const base64 = (text: string) => Buffer.from(text).toString('base64')

  describe('the seal status in @litehex/node-vault', () => {
    it('can be read without a token', async () => {
      const anonymous = new Client({ endpoint: server.endpoint })
      expect(await ok(anonymous.sealStatus())).toMatchObject({
        initialized: true,
        sealed: false,
        recovery_seal: expect.any(Boolean),
      })
      expect(await ok(anonymous.initialized())).toEqual({ initialized: true })
      expect(await ok(anonymous.health())).toMatchObject({ initialized: true, sealed: false, standby: false })
      expect(await message(anonymous.kv.read({ mountPath: 'secret', path: 'a' }))).toBe('permission denied')
    })
  })

  describe('@litehex/node-vault with KV version 1', () => {
    const at = { mountPath: 'secret', path: 'app/db' }

    it('writes, reads, lists and deletes a secret', async () => {
      expect(await ok(vault.kv.write({ ...at, data: { user: 'u', password: 'p' } }))).toBe(true)
      expect((await ok(vault.kv.read(at))).data).toEqual({ user: 'u', password: 'p' })
      expect((await ok(vault.kv.list({ mountPath: 'secret', path: 'app' }))).data.keys).toEqual(['db'])
      expect(await ok(vault.kv.info({ mountPath: 'secret' }))).toMatchObject({ data: { type: 'kv', options: { version: '1' } } })
      expect(await ok(vault.kv.delete(at))).toBe(true)
      expect(await message(vault.kv.read(at))).toBe('Not Found')
    })

    it('reads and writes any path with its generic commands', async () => {
      expect(await ok(vault.write({ path: 'secret/plain', data: { a: 1 } }))).toBe(true)
      expect(await ok(vault.read({ path: 'secret/plain' }))).toMatchObject({ data: { a: 1 } })
      expect(await ok(vault.list({ path: 'secret' }))).toMatchObject({ data: { keys: expect.arrayContaining(['plain']) } })
      expect(await ok(vault.delete({ path: 'secret/plain' }))).toBe(true)
    })
  })

  describe('@litehex/node-vault with KV version 2', () => {
    const at = { mountPath: 'apps', path: 'web' }

    it('mounts the engine under its type name and configures it', async () => {
      expect(await ok(vault.mount({ mountPath: 'apps', type: 'kv-v2' }))).toBe(true)
      expect(await ok(vault.engineInfo({ mountPath: 'apps' }))).toMatchObject({ data: { type: 'kv', options: { version: '2' } } })
      expect(await ok(vault.kv2.config({ mountPath: 'apps', max_versions: 5, delete_version_after: '3h25m19s' }))).toBe(true)
      expect((await ok(vault.kv2.readConfig({ mountPath: 'apps' }))).data).toEqual({
        cas_required: false,
        delete_version_after: '3h25m19s',
        max_versions: 5,
      })
      expect(await ok(vault.kv2.info({ mountPath: 'apps' }))).toMatchObject({ data: { type: 'kv' } })
    })

    it('writes, patches and reads versions of a secret, and reports a check-and-set mismatch', async () => {
      expect((await ok(vault.kv2.write({ ...at, data: { a: '1' }, options: { cas: 0 } }))).data.version).toBe(1)
      expect(await message(vault.kv2.write({ ...at, data: { a: '2' }, options: { cas: 0 } }))).toMatch(/check-and-set/)
      expect((await ok(vault.kv2.write({ ...at, data: { a: '2' } }))).data.version).toBe(2)
      expect((await ok(vault.kv2.patch({ ...at, data: { b: '3' } }))).data.version).toBe(3)
      expect((await ok(vault.kv2.read(at))).data.data).toEqual({ a: '2', b: '3' })
      expect((await ok(vault.kv2.read({ ...at, version: 1 }))).data.data).toEqual({ a: '1' })
      expect((await ok(vault.kv2.subKeys(at))).data.subkeys).toEqual({ a: null, b: null })
    })

    it('deletes, undeletes and destroys versions of a secret', async () => {
      expect(await ok(vault.kv2.deleteLatest(at))).toBe(true)
      expect((await vault.kv2.read(at)).data?.data.data ?? null).toBe(null)
      expect(await ok(vault.kv2.undelete({ ...at, versions: [3] }))).toBe(true)
      expect((await ok(vault.kv2.read(at))).data.metadata.version).toBe(3)
      expect(await ok(vault.kv2.delete({ ...at, versions: [1] }))).toBe(true)
      expect(await ok(vault.kv2.destroy({ ...at, versions: [2] }))).toBe(true)
      const { versions } = (await ok(vault.kv2.readMetadata(at))).data
      expect([versions['1']?.deletion_time !== '', versions['2']?.destroyed, versions['3']?.destroyed]).toEqual([
        true,
        true,
        false,
      ])
    })

    it('writes and reads the metadata of a secret', async () => {
      const custom_metadata = { owner: 'web' }
      expect(await ok(vault.kv2.writeMetadata({ ...at, max_versions: 7, custom_metadata }))).toBe(true)
      expect(await ok(vault.kv2.patchMetadata({ ...at, cas_required: true }))).toBe(true)
      expect((await ok(vault.kv2.readMetadata(at))).data).toMatchObject({ max_versions: 7, cas_required: true, custom_metadata })
      expect((await ok(vault.kv2.list({ mountPath: 'apps', path: '' }))).data.keys).toEqual(['web'])
      expect(await ok(vault.kv2.deleteMetadata(at))).toBe(true)
      expect(await message(vault.kv2.readMetadata(at))).toBe('Not Found')
    })
  })

  describe('@litehex/node-vault with transit', () => {
    const key = { mountPath: 'transit', name: 'orders' }

    it('creates, reads, configures, rotates and lists transit keys', async () => {
      expect((await ok(vault.transit.createKey({ ...key, type: 'aes256-gcm96' }))).data).toMatchObject({
        name: 'orders',
        latest_version: 1,
      })
      expect((await ok(vault.transit.rotateKey(key))).data.latest_version).toBe(2)
      expect((await ok(vault.transit.updateKey({ ...key, deletion_allowed: true, exportable: true }))).data).toMatchObject({
        deletion_allowed: true,
        exportable: true,
      })
      expect((await ok(vault.transit.readKey(key))).data.keys).toEqual({ 1: expect.any(Number), 2: expect.any(Number) })
      expect((await ok(vault.transit.listKeys({ mountPath: 'transit' }))).data.keys).toEqual(['orders'])
    })

    it('encrypts, rewraps and decrypts single values and batches', async () => {
      const first = (await ok(vault.transit.encrypt({ ...key, plaintext: base64('one'), key_version: 1 }))).data
      expect(first.ciphertext).toMatch(/^vault:v1:/)
      const again = (await ok(vault.transit.rewrap({ ...key, ciphertext: first.ciphertext as string }))).data as {
        ciphertext: string
      }
      expect(again.ciphertext).toMatch(/^vault:v2:/)
      expect((await ok(vault.transit.decrypt({ ...key, ciphertext: again.ciphertext }))).data.plaintext).toBe(base64('one'))
      const batch_input = ['a', 'b'].map((text) => ({ plaintext: base64(text) }))
      const many = (await ok(vault.transit.encrypt({ ...key, plaintext: '', batch_input }))).data.batch_results ?? []
      expect(many.map(({ key_version }) => key_version)).toEqual([2, 2])
      expect(await message(vault.transit.decrypt({ ...key, ciphertext: 'vault:v9:AAAA' }))).toMatch(/version|ciphertext/i)
    })

    it('creates data keys, random bytes, hashes, HMACs and signatures', async () => {
      expect((await ok(vault.transit.generateDataKey({ ...key, type: 'plaintext' }))).data.ciphertext).toMatch(/^vault:v2:/)
      const random = await ok(
        vault.transit.generateRandom({ mountPath: 'transit', source: 'platform', bytes: 16, format: 'base64' }),
      )
      expect(Buffer.from(random.data.random_bytes, 'base64')).toHaveLength(16)
      const hashed = await ok(
        vault.transit.hash({ mountPath: 'transit', algorithm: 'sha2-256', input: base64('a'), format: 'hex' }),
      )
      expect(hashed.data.sum).toBe('ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb')
      const { hmac = '' } = (await ok(vault.transit.hmac({ ...key, input: base64('a') }))).data
      expect((await ok(vault.transit.verifyHmac({ ...key, algorithm: 'sha2-256', input: base64('a'), hmac }))).data.valid).toBe(
        true,
      )
      const signer = { mountPath: 'transit', name: 'signer' }
      await ok(vault.write({ path: 'transit/keys/signer', data: { type: 'ed25519' } }))
      const { signature = '' } = (await ok(vault.transit.sign({ ...signer, input: base64('a') }))).data
      const verified = vault.transit.verify({ ...signer, algorithm: 'sha2-256', input: base64('a'), signature })
      expect((await ok(verified)).data.valid).toBe(true)
    })

    it('exports, backs up, trims, deletes and restores transit keys', async () => {
      expect(Object.keys((await ok(vault.transit.exportKey({ ...key, type: 'encryption-key' }))).data.keys)).toEqual(['1', '2'])
      await ok(vault.transit.updateKey({ ...key, allow_plaintext_backup: true }))
      const { backup } = (await ok(vault.transit.backupKey(key))).data
      expect(await ok(vault.transit.deleteKey(key))).toBe(true)
      expect(await ok(vault.transit.restoreKey({ ...key, backup }))).toBe(true)
      expect((await ok(vault.transit.readKey(key))).data.latest_version).toBe(2)
      await ok(vault.transit.updateKey({ ...key, min_decryption_version: 2, min_encryption_version: 2 }))
      await vault.transit.trimKey({ ...key, min_available_version: 2 })
      expect((await ok(vault.transit.readKey(key))).data.min_available_version).toBe(2)
    })
  })

  describe('@litehex/node-vault with mounts', () => {
    it('creates, tunes, lists and removes a mount', async () => {
      expect(await ok(vault.transit.enable({ mountPath: 'crypt', type: 'transit', description: 'of a test' }))).toBe(true)
      expect(await ok(vault.tuneMount({ mountPath: 'crypt', default_lease_ttl: 60 }))).toBe(true)
      expect(await ok(vault.tune({ mountPath: 'crypt' }))).toMatchObject({ default_lease_ttl: 60, force_no_cache: false })
      expect(Object.keys((await ok(vault.mounts())).data)).toEqual(
        expect.arrayContaining(['crypt/', 'secret/', 'sys/', 'transit/']),
      )
      expect(await ok(vault.unmount({ mountPath: 'crypt' }))).toBe(true)
      expect(Object.keys((await ok(vault.mounts())).data)).not.toContain('crypt/')
    })
  })

  describe('@litehex/node-vault with its generic commands', () => {
    it('can use a token only within the policies of that token', async () => {
      const policy = 'path "secret/mine/*" { capabilities = ["create", "read"] }'
      expect(await ok(vault.write({ path: 'sys/policies/acl/mine', data: { policy } }))).toBe(true)
      const made = (await ok(vault.write({ path: 'auth/token/create', data: { policies: ['mine'], ttl: '1h' } }))) as {
        auth: { client_token: string; policies: string[] }
      }
      expect(made.auth.policies).toEqual(['default', 'mine'])
      const mine = new Client({ endpoint: server.endpoint, token: made.auth.client_token })
      expect(await ok(mine.kv.write({ mountPath: 'secret', path: 'mine/a', data: { a: 'b' } }))).toBe(true)
      expect(await message(mine.kv.read({ mountPath: 'secret', path: 'other' }))).toMatch(/permission denied/)
      expect(await ok(mine.read({ path: 'auth/token/lookup-self' }))).toMatchObject({ data: { policies: ['default', 'mine'] } })
      expect(await ok(vault.write({ path: 'auth/token/revoke', data: { token: made.auth.client_token } }))).toBe(true)
      expect(await message(mine.kv.read({ mountPath: 'secret', path: 'mine/a' }))).toBe('permission denied')
    })

    it('unwraps a wrapped answer only once', async () => {
      const headers = { 'X-Vault-Wrap-TTL': '60' }
      const wrapped = (await ok(vault.read({ path: 'secret/mine/a' }, { headers }))) as { wrap_info: { token: string } }
      const holder = new Client({ endpoint: server.endpoint, token: wrapped.wrap_info.token })
      expect(await ok(holder.write({ path: 'sys/wrapping/unwrap', data: {} }))).toMatchObject({ data: { a: 'b' } })
      expect(await message(holder.write({ path: 'sys/wrapping/unwrap', data: {} }))).toMatch(
        /wrapping token is not valid|permission denied/,
      )
    })

    it('sends requests to a namespace', async () => {
      await ok(vault.write({ path: 'sys/namespaces/team', data: {} }))
      const team = new Client({ endpoint: server.endpoint, token: server.token, namespace: 'team' })
      expect(await ok(team.mount({ mountPath: 'own', type: 'kv' }))).toBe(true)
      expect(await ok(team.kv.write({ mountPath: 'own', path: 'a', data: { in: 'team' } }))).toBe(true)
      expect((await ok(team.kv.read({ mountPath: 'own', path: 'a' }))).data).toEqual({ in: 'team' })
      expect(await message(vault.kv.read({ mountPath: 'own', path: 'a' }))).toMatch(/no handler for route/)
    })
  })
}
