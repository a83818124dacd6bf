/**
 * Both unmodified clients use a kernel that has never been initialized: init, unseal, seal, new key shares, and new root tokens from key
 * shares.
 */
import { Client } from '@litehex/node-vault'
import nodeVault from 'node-vault'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Serving } from '../serve.ts'
import type { Servers } from '../servers.ts'

/** Defines tests with a new server for each of them. */
export function describeSeal(servers: Servers): void {
  let server: Serving

  beforeEach(async () => {
    server = await servers.uninitialized()
  })
  afterEach(() => server.close())

  /** Decodes a token that generate-root returned under a one-time pad. */
  const tokenOf = (encoded: string, pad: string) =>
    Buffer.from(encoded, 'base64')
      .map((byte, index) => byte ^ pad.charCodeAt(index))
      .toString()

  const clientOf = (token?: string) => nodeVault({ endpoint: server.endpoint, ...(token === undefined ? {} : { token }) })

  describe('@litehex/node-vault', () => {
    it('initializes, unseals, seals and again unseals a kernel', async () => {
      const vault = new Client({ endpoint: server.endpoint })
      expect((await vault.initialized()).data).toEqual({ initialized: false })
      expect((await vault.sealStatus()).data).toMatchObject({ initialized: false, sealed: true, type: 'shamir' })
      expect(String((await vault.kv.read({ mountPath: 'secret', path: 'a' })).error)).toMatch(/sealed|initialized/i)
      const made = await vault.init({ secret_shares: 3, secret_threshold: 2 })
      if (!made.data) throw made.error
      const { keys, keys_base64, root_token } = made.data
      expect([keys.length, keys_base64.length]).toEqual([3, 3])
      expect((await vault.unseal({ key: keys[0] as string })).data).toMatchObject({ sealed: true, progress: 1, t: 2, n: 3 })
      expect((await vault.unseal({ key: keys_base64[2] as string })).data).toMatchObject({ sealed: false })
      vault.token = root_token
      expect((await vault.kv.write({ mountPath: 'secret', path: 'a', data: { a: 'b' } })).data).toBe(true)
      expect((await vault.seal()).data).toBe(true)
      expect((await vault.sealStatus()).data?.sealed).toBe(true)
      expect((await vault.kv.read({ mountPath: 'secret', path: 'a' })).error).toBeDefined()
      for (const key of keys.slice(1)) await vault.unseal({ key })
      expect((await vault.kv.read({ mountPath: 'secret', path: 'a' })).data?.data).toEqual({ a: 'b' })
    })
  })

  describe('node-vault', () => {
    async function unsealed() {
      const anonymous = clientOf()
      const { keys, root_token } = await anonymous.init({ secret_shares: 3, secret_threshold: 2 })
      for (const key of keys.slice(0, 2)) await anonymous.unseal({ secret_shares: 1, key })
      return { anonymous, keys: keys as string[], root: clientOf(root_token) }
    }

    it('initializes, unseals and seals a kernel', async () => {
      expect(await clientOf().initialized()).toEqual({ initialized: false })
      expect(await clientOf().health()).toMatchObject({ initialized: false, sealed: true })
      const { anonymous, keys, root } = await unsealed()
      expect(await anonymous.status()).toMatchObject({ sealed: false, t: 2, n: 3 })
      await root.write('secret/a', { a: 'b' })
      await root.seal()
      expect(await anonymous.health()).toMatchObject({ sealed: true })
      for (const key of keys.slice(1)) await anonymous.unseal({ key })
      expect((await root.read('secret/a')).data).toEqual({ a: 'b' })
    })

    it('generates a root token from key shares', async () => {
      const { anonymous, keys } = await unsealed()
      const { nonce, otp } = await anonymous.write('sys/generate-root/attempt', {})
      expect(await anonymous.generateRootUpdate({ key: keys[0], nonce })).toMatchObject({ progress: 1, complete: false })
      const { complete, encoded_token } = await anonymous.generateRootUpdate({ key: keys[2], nonce })
      expect(complete).toBe(true)
      const fresh = clientOf(tokenOf(encoded_token, otp))
      expect((await fresh.tokenLookupSelf()).data.policies).toEqual(['root'])
    })

    it('replaces the key shares of a kernel with a rekey', async () => {
      const { anonymous, keys, root } = await unsealed()
      const { nonce } = await anonymous.write('sys/rekey/init', { secret_shares: 1, secret_threshold: 1 })
      await anonymous.write('sys/rekey/update', { key: keys[0], nonce })
      const { complete, keys: fresh } = await anonymous.write('sys/rekey/update', { key: keys[1], nonce })
      expect([complete, fresh.length]).toEqual([true, 1])
      await root.seal()
      expect(await anonymous.unseal({ key: fresh[0] })).toMatchObject({ sealed: false, t: 1, n: 1 })
    })
  })
}
