/** Uses the unmodified client `node-vault`, which lists with the verb LIST and writes with POST and PUT. */
import nodeVault, { type client as NodeVault } from 'node-vault'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Servers, VaultServer } from '../servers.ts'

/** Defines tests with one new server for all of them. */
export function describeNodeVault(servers: Servers): void {
  let server: VaultServer
  let vault: NodeVault

  const clientOf = (token: string | undefined, more: object = {}): NodeVault =>
    nodeVault({ endpoint: server.endpoint, ...(token === undefined ? {} : { token }), ...more })

  beforeAll(async () => {
    server = await servers.ready()
    vault = clientOf(server.token)
  })
  afterAll(() => server.close())

  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const status = (call: Promise<unknown>) =>
    call.then(
      () => 'answered',
      (error: { response?: { statusCode: number } }) => error.response?.statusCode,
    )

  describe('the seal status in node-vault', () => {
    it('can be read without a token', async () => {
      const anonymous = clientOf(undefined)
      expect(await anonymous.status()).toMatchObject({ sealed: false, initialized: true })
      expect(await anonymous.initialized()).toEqual({ initialized: true })
      expect(await anonymous.health()).toMatchObject({ sealed: false, initialized: true })
      expect(await anonymous.leader()).toMatchObject({ ha_enabled: false })
      expect(await status(anonymous.read('secret/a'))).toBe(403)
    })
  })

  describe('node-vault with KV', () => {
    it('writes, reads, lists and deletes secrets of KV version 1', async () => {
      await vault.write('secret/app/db', { user: 'u', password: 'p' })
      expect((await vault.read('secret/app/db')).data).toEqual({ user: 'u', password: 'p' })
      expect((await vault.list('secret/app')).data).toEqual({ keys: ['db'] })
      expect((await clientOf(server.token, { noCustomHTTPVerbs: true }).list('secret/app')).data).toEqual({ keys: ['db'] })
      await vault.delete('secret/app/db')
      expect(await status(vault.read('secret/app/db'))).toBe(404)
      expect(await status(vault.list('secret/app'))).toBe(404)
    })

    it('writes, patches and destroys secrets of KV version 2', async () => {
      await vault.mount({ mount_point: 'apps', type: 'kv', options: { version: '2' } })
      await vault.write('apps/data/web', { data: { a: 1, b: 2 } })
      await vault.update('apps/data/web', { data: { b: null, c: 3 } })
      expect((await vault.read('apps/data/web')).data.data).toEqual({ a: 1, c: 3 })
      expect((await vault.list('apps/metadata')).data).toEqual({ keys: ['web'] })
      await vault.destroySecretVersions({ mount_point: 'apps', path: 'web', versions: [1] })
      expect((await vault.read('apps/metadata/web')).data.versions['1'].destroyed).toBe(true)
      expect(await status(vault.read('apps/data/web?version=1'))).toBe(404)
      await vault.delete('apps/metadata/web')
      await vault.unmount({ mount_point: 'apps' })
    })
  })

  describe('node-vault with transit', () => {
    it('creates, lists and reads transit keys, and encrypts, rewraps and decrypts with them', async () => {
      await vault.transitCreateKey({ name: 'orders', type: 'aes256-gcm96' })
      expect((await vault.transitReadKey({ name: 'orders' })).data).toMatchObject({ name: 'orders', latest_version: 1 })
      expect((await vault.transitListKeys()).data).toEqual({ keys: ['orders'] })
      const { ciphertext } = (await vault.encryptData({ name: 'orders', plaintext: base64('one') })).data
      expect(ciphertext).toMatch(/^vault:v1:/)
      await vault.write('transit/keys/orders/rotate', {})
      const again = (await vault.rewrapData({ name: 'orders', ciphertext })).data.ciphertext
      expect(again).toMatch(/^vault:v2:/)
      expect((await vault.decryptData({ name: 'orders', ciphertext: again })).data.plaintext).toBe(base64('one'))
      expect(await status(vault.transitDeleteKey({ name: 'orders' }))).toBe(400)
      await vault.write('transit/keys/orders/config', { deletion_allowed: true })
      await vault.transitDeleteKey({ name: 'orders' })
      expect(await status(vault.transitReadKey({ name: 'orders' }))).toBe(404)
    })
  })

  // A call that creates or renews a token makes the client use that token, so each of these calls has its own client.
  describe('node-vault with policies and tokens', () => {
    const rules = 'path "secret/mine/*" { capabilities = ["create", "read", "list"] }'

    it('writes, reads, lists and removes policies', async () => {
      await vault.addPolicy({ name: 'mine', rules })
      expect((await vault.getPolicy({ name: 'mine' })).rules).toBe(rules)
      expect((await vault.policies()).policies).toEqual(['default', 'mine', 'root'])
      await vault.addPolicy({ name: 'gone', rules })
      await vault.removePolicy({ name: 'gone' })
      expect(await status(vault.getPolicy({ name: 'gone' }))).toBe(404)
    })

    it('creates, looks up, renews and revokes tokens', async () => {
      const { auth } = await clientOf(server.token).tokenCreate({ policies: ['mine'], ttl: '1h', display_name: 'test' })
      const mine = clientOf(auth.client_token)
      expect((await mine.tokenLookupSelf()).data).toMatchObject({ policies: ['default', 'mine'], display_name: 'token-test' })
      await mine.write('secret/mine/a', { a: 'b' })
      expect(await status(mine.read('secret/other'))).toBe(403)
      expect((await mine.tokenRenewSelf({ increment: '2h' })).auth.lease_duration).toBeGreaterThan(3600)
      expect((await vault.tokenLookup({ token: auth.client_token })).data.accessor).toBe(auth.accessor)
      expect((await vault.tokenLookupAccessor({ accessor: auth.accessor })).data.id).toBe('')
      expect((await vault.tokenAccessors()).data.keys).toContain(auth.accessor)
      expect((await clientOf(server.token).tokenRenew({ token: auth.client_token, increment: '30m' })).auth.client_token).toBe(
        auth.client_token,
      )
      await vault.tokenRevokeAccessor({ accessor: auth.accessor })
      expect(await status(mine.read('secret/mine/a'))).toBe(403)
      const orphan = await clientOf(server.token).tokenCreateOrphan({ policies: ['mine'] })
      expect(orphan.auth.orphan).toBe(true)
      await clientOf(orphan.auth.client_token).tokenRevokeSelf()
      expect(await status(clientOf(orphan.auth.client_token).tokenLookupSelf())).toBe(403)
    })

    it('creates tokens from roles', async () => {
      await vault.addTokenRole({ role_name: 'reader', allowed_policies: 'mine' })
      expect((await vault.getTokenRole({ role_name: 'reader' })).data.allowed_policies).toEqual(['mine'])
      expect((await vault.tokenRoles()).data.keys).toEqual(['reader'])
      expect((await clientOf(server.token).tokenCreateRole({ role_name: 'reader' })).auth.policies).toEqual(['default', 'mine'])
      await vault.removeTokenRole({ role_name: 'reader' })
    })
  })

  describe('node-vault with mounts and auth methods', () => {
    it('creates, lists, moves and removes a mount, and lists auth methods', async () => {
      await vault.mount({ mount_point: 'one', type: 'kv', description: 'of a test' })
      expect((await vault.mounts())['one/']).toMatchObject({ type: 'kv', description: 'of a test' })
      await vault.remount({ from: 'one', to: 'two' })
      expect(Object.keys(await vault.mounts())).toContain('two/')
      await vault.unmount({ mount_point: 'two' })
      expect(Object.keys(await vault.auths())).toContain('token/')
    })
  })

  describe('node-vault with wrapping and leases', () => {
    it('unwraps a wrapped answer only once', async () => {
      await vault.write('secret/wrapped', { a: 'b' })
      const { wrap_info } = await vault.read('secret/wrapped', { headers: { 'X-Vault-Wrap-TTL': '1m' } })
      expect(wrap_info.ttl).toBe(60)
      expect((await clientOf(wrap_info.token).unwrap()).data).toEqual({ a: 'b' })
      expect(await status(vault.unwrap({ token: wrap_info.token }))).toBe(400)
    })

    it('gets no error when it revokes an unknown lease, and an error when it renews one', async () => {
      expect(await status(vault.revoke({ lease_id: 'no/such/lease' }))).toBe('answered')
      expect(await status(vault.renew({ lease_id: 'no/such/lease' }))).toBe(400)
      await expect(vault.revokePrefix({ path_prefix: 'auth/none' })).resolves.toBeDefined()
    })
  })
}
