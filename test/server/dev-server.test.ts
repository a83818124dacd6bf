/** `devServer()` as test suites use it: unmodified clients, an injected clock, and `reset()` between tests. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type DevServer, devServer, fakeClock } from '../../src/testing/index.ts'
import { describeVaultClients } from '../clients/suites/dev-server.ts'

let vault: DevServer

beforeAll(async () => {
  vault = await devServer()
})
afterEach(() => vault.reset())
afterAll(() => vault.stop())

const call = (method: string, path: string, body?: object) =>
  fetch(`${vault.getAddress()}/v1/${path}`, {
    method,
    headers: { 'X-Vault-Token': vault.getRootToken() },
    ...(body && { body: JSON.stringify(body) }),
  })

describe('a dev server', () => {
  it('begins with the mounts of a Vault server in development mode', async () => {
    const { data } = (await (await call('GET', 'sys/mounts')).json()) as { data: Record<string, object> }
    expect(Object.keys(data).sort()).toEqual(['cubbyhole/', 'identity/', 'secret/', 'sys/'])
    expect(data['secret/']).toMatchObject({ type: 'kv', options: { version: '2' } })
    const auth = (await (await call('GET', 'sys/auth')).json()) as { data: Record<string, object> }
    expect(Object.keys(auth.data)).toEqual(['token/'])
  })

  it('is initialized, unsealed and active, and listens on the loopback interface', async () => {
    const health = await fetch(`${vault.getAddress()}/v1/sys/health`)
    expect(health.status).toBe(200)
    expect(await health.json()).toMatchObject({ initialized: true, sealed: false, standby: false })
    expect(vault.getAddress()).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(vault.getRootToken()).toBe('root')
  })

  it('accepts every engine that a client mounts', async () => {
    for (const type of ['transit', 'database', 'kv'])
      expect((await call('POST', `sys/mounts/${type}`, { type })).status).toBe(204)
    expect((await call('POST', 'transit/keys/orders')).status).toBe(200)
    const { data } = (await (await call('POST', 'transit/encrypt/orders', { plaintext: 'aGk=' })).json()) as {
      data: { ciphertext: string }
    }
    expect(data.ciphertext).toMatch(/^vault:v1:/)
  })

  it('loses everything with reset, and keeps address and root token', async () => {
    const address = vault.getAddress()
    await call('POST', 'secret/data/a', { data: { b: 1 } })
    await vault.reset()
    expect(vault.getAddress()).toBe(address)
    expect((await call('GET', 'secret/data/a')).status).toBe(404)
    expect((await vault.kernel.tokens.lookupToken({ token: 'root' })).policies).toEqual(['root'])
  })

  it('answers requests while it is reset', async () => {
    const resets = Promise.all([vault.reset(), vault.reset(), vault.reset()])
    const answers = await Promise.all(Array.from({ length: 20 }, () => call('GET', 'sys/mounts')))
    await resets
    for (const { status } of answers) expect(status).toBe(200)
  })
})

describeVaultClients(() => ({ endpoint: vault.getAddress(), token: vault.getRootToken() }))

describe('options of a dev server', () => {
  it('apply the seed at the start and after each reset', async () => {
    const seed = { mounts: { transit: { type: 'transit' } }, keys: { 'transit/orders': {} }, secrets: { 'secret/app': { a: 1 } } }
    await using seeded = await devServer({ seed, rootToken: 'test-token' })
    for (const _ of ['at the start', 'after a reset']) {
      expect((await seeded.kernel.transit.listKeys()).keys).toEqual(['orders'])
      expect((await seeded.kernel.kv2.readSecret({ path: 'app' })).data).toEqual({ a: 1 })
      expect((await seeded.kernel.tokens.lookupToken({ token: 'test-token' })).policies).toEqual(['root'])
      await seeded.reset()
    }
  })

  it('let a test advance the clock until a token has expired', async () => {
    const clock = fakeClock()
    await using server = await devServer({ clock })
    const { client_token: token } = await server.kernel.tokens.createToken({ policies: ['default'], ttl: '1h' })
    const lookup = () =>
      fetch(`${server.getAddress()}/v1/auth/token/lookup-self`, { headers: { 'X-Vault-Token': token } }).then(
        ({ status }) => status,
      )
    expect(await lookup()).toBe(200)
    await clock.advance(3_600_001)
    expect(await lookup()).toBe(403)
  })

  it('refuses a port that is in use, and a seed that cannot be applied', async () => {
    const port = Number(new URL(vault.getAddress()).port)
    await expect(devServer({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
    await expect(devServer({ keys: {} } as object)).rejects.toThrow('devServer: unknown option keys')
    await expect(devServer({ seed: { keys: { 'transit/a': {} } } })).rejects.toThrow('seed.keys: transit/a')
  })

  it('refuses calls after stop, and frees the port', async () => {
    const server = await devServer()
    const port = Number(new URL(server.getAddress()).port)
    await server.stop()
    await expect(server.kernel.transit.listKeys()).rejects.toThrow('the kernel is closed')
    const next = await devServer({ port })
    await next.stop()
  })
})
