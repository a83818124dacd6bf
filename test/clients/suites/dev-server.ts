/** Tests with unmodified clients of Vault against a new server in development mode. */
import { randomUUID } from 'node:crypto'
import { Client } from '@litehex/node-vault'
import nodeVault from 'node-vault'
import VaultClient from 'node-vault-client'
import { describe, expect, it } from 'vitest'
import type { VaultServer } from '../servers.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Defines the tests. They leave mounts and secrets behind, whose names no other test uses. */
export function describeVaultClients(server: () => Pick<VaultServer, 'endpoint' | 'token'>): void {
  const fresh = (): string => `test-${randomUUID()}`
  const statusOf = (call: Promise<unknown>) =>
    call.then(
      () => 'answered',
      (error: { response?: { statusCode: number } }) => error.response?.statusCode,
    )

  describe('node-vault', () => {
    const open = (token = server().token) => nodeVault({ endpoint: server().endpoint, token })

    it('writes, reads, lists and deletes secrets', async () => {
      const [client, folder] = [open(), fresh()]
      await client.write(`secret/data/${folder}/db`, { data: { password: 'correct horse' } })
      expect((await client.read(`secret/data/${folder}/db`)).data.data).toEqual({ password: 'correct horse' })
      expect((await client.list(`secret/metadata/${folder}`)).data).toEqual({ keys: ['db'] })
      await client.delete(`secret/metadata/${folder}/db`)
      expect(await statusOf(client.read(`secret/data/${folder}/db`))).toBe(404)
    })

    it('mounts transit, and encrypts, signs, rotates and rewraps', async () => {
      const [client, mount] = [open(), fresh()]
      await client.mount({ mount_point: mount, type: 'transit' })
      await client.write(`${mount}/keys/orders`, {})
      const { data } = await client.write(`${mount}/encrypt/orders`, { plaintext: base64('hello') })
      expect(data.ciphertext).toMatch(/^vault:v1:/)
      await client.write(`${mount}/keys/orders/rotate`, {})
      const rewrapped = await client.write(`${mount}/rewrap/orders`, { ciphertext: data.ciphertext })
      expect(rewrapped.data.ciphertext).toMatch(/^vault:v2:/)
      const opened = await client.write(`${mount}/decrypt/orders`, rewrapped.data)
      expect(opened.data.plaintext).toBe(base64('hello'))
      await client.write(`${mount}/keys/signer`, { type: 'ed25519' })
      const { signature } = (await client.write(`${mount}/sign/signer`, { input: base64('a') })).data
      expect((await client.write(`${mount}/verify/signer`, { input: base64('a'), signature })).data).toEqual({ valid: true })
      expect((await client.mounts()).data[`${mount}/`]).toMatchObject({ type: 'transit' })
    })

    it('writes policies, and a token with a policy can do only what it allows', async () => {
      const [client, name] = [open(), fresh()]
      await client.addPolicy({ name, rules: `path "secret/data/${name}" { capabilities = ["read"] }` })
      await client.write(`secret/data/${name}`, { data: { a: 1 } })
      const { auth } = await client.tokenCreate({ policies: [name], ttl: '1h' })
      const limited = open(auth.client_token)
      expect((await limited.read(`secret/data/${name}`)).data.data).toEqual({ a: 1 })
      expect(await statusOf(limited.write(`secret/data/${name}`, { data: {} }))).toBe(403)
      // The client now uses the token that it has created.
      await open().tokenRevokeAccessor({ accessor: auth.accessor })
      expect(await statusOf(limited.read(`secret/data/${name}`))).toBe(403)
    })

    it('reads the health and the seal status without a token', async () => {
      const client = nodeVault({ endpoint: server().endpoint })
      expect(await client.health()).toMatchObject({ initialized: true, sealed: false, standby: false })
      expect(await client.status()).toMatchObject({ sealed: false })
    })
  })

  describe('@litehex/node-vault', () => {
    it('writes, reads and lists secrets', async () => {
      const client = new Client({ endpoint: server().endpoint, token: server().token })
      const folder = fresh()
      const at = { mountPath: 'secret', path: `${folder}/db` }
      await client.kv2.write({ ...at, data: { password: 'correct horse' } })
      expect((await client.kv2.read(at)).data?.data.data).toEqual({ password: 'correct horse' })
      expect((await client.kv2.list({ mountPath: 'secret', path: folder })).data?.data.keys).toEqual(['db'])
    })
  })

  describe('node-vault-client', () => {
    it('logs in with a token, and reads, writes and lists secrets', async () => {
      const client = new VaultClient({
        api: { url: `${server().endpoint}/` },
        auth: { type: 'token', config: { token: server().token } },
        logger: false,
      })
      const folder = fresh()
      await client.write(`secret/data/${folder}/db`, { data: { password: 'correct horse' } })
      expect((await client.read(`secret/data/${folder}/db`)).getValue('data')).toEqual({ password: 'correct horse' })
      expect((await client.list(`secret/metadata/${folder}`)).getData()).toEqual({ keys: ['db'] })
    })
  })

  describe('fetch', () => {
    it('wraps and unwraps an answer, and lists with the verb LIST', async () => {
      const name = fresh()
      const call = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
        fetch(`${server().endpoint}/v1/${path}`, {
          method,
          headers: { 'X-Vault-Token': server().token, ...headers },
          ...(body && { body: JSON.stringify(body) }),
        })
      await call('POST', `secret/data/${name}/a`, { data: { b: 1 } })
      const wrapped = await call('GET', `secret/data/${name}/a`, undefined, { 'X-Vault-Wrap-TTL': '60s' })
      const { wrap_info } = (await wrapped.json()) as { wrap_info: { token: string } }
      const unwrapped = await call('POST', 'sys/wrapping/unwrap', {}, { 'X-Vault-Token': wrap_info.token })
      expect(await unwrapped.json()).toMatchObject({ data: { data: { b: 1 } } })
      expect(await (await call('LIST', `secret/metadata/${name}`)).json()).toMatchObject({ data: { keys: ['a'] } })
    })
  })
}
