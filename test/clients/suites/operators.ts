/**
 * Operators use Vault clients on a kernel with an empty store: initialize, unseal, generate a root token, rekey, seal.
 * `@litehex/node-vault` has no call for a rekey; `node-vault` uses its generic write call.
 */
import { Client } from '@litehex/node-vault'
import nodeVault from 'node-vault'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { decodeToken } from '../../../src/index.ts'
import type { Serving } from '../serve.ts'
import type { Servers } from '../servers.ts'

/** Defines tests with a new server for each of them. */
export function describeOperators(servers: Servers): void {
  let server: Serving

  beforeEach(async () => {
    server = await servers.uninitialized()
  })
  afterEach(() => server.close())

  it('node-vault initializes, unseals, rekeys and seals a kernel, and generates a root token', async () => {
    const anonymous = nodeVault({ endpoint: server.endpoint })
    expect(await anonymous.initialized()).toEqual({ initialized: false })
    const { keys, root_token } = await anonymous.init({ secret_shares: 3, secret_threshold: 2 })
    expect(await anonymous.unseal({ key: keys[0] })).toMatchObject({ sealed: true, progress: 1, t: 2, n: 3 })
    expect(await anonymous.unseal({ key: keys[1] })).toMatchObject({ sealed: false })
    await nodeVault({ endpoint: server.endpoint, token: root_token }).write('secret/a', { v: '1' })

    const { nonce, otp } = await anonymous.generateRootInit({})
    await anonymous.generateRootUpdate({ key: keys[1], nonce })
    const { complete, encoded_token } = await anonymous.generateRootUpdate({ key: keys[2], nonce })
    expect(complete).toBe(true)
    const vault = nodeVault({ endpoint: server.endpoint, token: decodeToken(encoded_token, otp) })
    expect((await vault.read('secret/a')).data).toEqual({ v: '1' })

    const begun = await vault.write('sys/rekey/init', { secret_shares: 2, secret_threshold: 2, require_verification: true })
    await vault.write('sys/rekey/update', { key: keys[0], nonce: begun.nonce })
    const fresh = await vault.write('sys/rekey/update', { key: keys[2], nonce: begun.nonce })
    await vault.write('sys/rekey/verify', { key: fresh.keys[0], nonce: fresh.verification_nonce })
    expect(await vault.write('sys/rekey/verify', { key: fresh.keys[1], nonce: fresh.verification_nonce })).toMatchObject({
      complete: true,
    })

    await vault.seal()
    expect(await anonymous.status()).toMatchObject({ sealed: true, t: 2, n: 2 })
    for (const key of fresh.keys) await anonymous.unseal({ key })
    expect((await vault.read('secret/a')).data).toEqual({ v: '1' })
  })

  it('@litehex/node-vault initializes, unseals and seals a kernel, and generates a root token', async () => {
    const ok = async <T>(call: Promise<{ data?: T; error?: unknown }>): Promise<T> => {
      const { data, error } = await call
      if (error) throw Object.assign(new Error(String(error)), { cause: (error as Error).cause })
      return data as T
    }
    const anonymous = new Client({ endpoint: server.endpoint })
    expect(await ok(anonymous.initialized())).toEqual({ initialized: false })
    const { keys, root_token } = await ok(anonymous.init({ secret_shares: 2, secret_threshold: 2 }))
    const shares = keys as [string, string]
    expect(await ok(anonymous.unseal({ key: shares[0] }))).toMatchObject({ sealed: true, progress: 1 })
    expect(await ok(anonymous.unseal({ key: shares[1] }))).toMatchObject({ sealed: false })

    const otp = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
    const { nonce } = await ok(anonymous.startRootGeneration({ otp }))
    expect(await ok(anonymous.getRootGenerationProgress())).toMatchObject({ started: true, nonce, required: 2 })
    await ok(anonymous.provideKeyShare({ key: shares[0], nonce }))
    const { complete, encoded_token } = await ok(anonymous.provideKeyShare({ key: shares[1], nonce }))
    expect(complete).toBe(true)

    const vault = new Client({ endpoint: server.endpoint, token: decodeToken(encoded_token, otp) })
    expect(await ok(vault.seal())).toBe(true)
    expect(await ok(anonymous.sealStatus())).toMatchObject({ sealed: true })
    for (const key of shares) await ok(anonymous.unseal({ key }))
    const first = new Client({ endpoint: server.endpoint, token: root_token })
    expect(await ok(first.sealStatus())).toMatchObject({ sealed: false })
  })
}
