import { describe, expect, it } from 'vitest'
import type { Kernel } from '../../../src/index.ts'
import { clusters, pair } from './cluster.ts'

const WRITERS = `
path "secret/*" { capabilities = ["create", "update", "read", "delete"] }
path "transit/*" { capabilities = ["create", "update", "read"] }
path "transit/keys/never" { capabilities = ["deny"] }
path "secret/marked" { capabilities = ["create", "update"] allowed_parameters = { "only" = [] } }
`

async function withWriter(forward: 'policies' | 'app' = 'policies'): Promise<readonly [Kernel, Kernel, string]> {
  const [primary, secondary] = await pair(clusters(), forward)
  await primary.policies.writePolicy({ name: 'writers', policy: WRITERS })
  await secondary.tick()
  const { client_token } = await secondary.tokens.createToken({ policies: ['writers'] })
  return [primary, secondary, client_token]
}

const send = (kernel: Kernel, token: string, method: string, path: string, body?: object) =>
  kernel.handle({ method, path: `/v1/${path}`, headers: { 'X-Service-Token': token }, ...(body && { body }) })

describe('a write on a secondary', () => {
  it('by path is executed on the primary, and its result is visible on the secondary immediately', async () => {
    const [primary, secondary, token] = await withWriter()
    expect((await send(secondary, token, 'POST', 'secret/one', { big: 12345678901234567890n, v: 7 })).status).toBe(204)
    expect((await primary.kv.readSecret({ path: 'one' })).data).toMatchObject({ v: 7 })
    expect((await send(secondary, token, 'GET', 'secret/one')).body).toMatchObject({ data: { v: 7 }, warnings: null })
    expect((await send(secondary, token, 'DELETE', 'secret/one')).status).toBe(204)
    expect((await send(secondary, token, 'GET', 'secret/one')).status).toBe(404)
  })

  it('by a typed call with a token is executed on the primary, even in a batch', async () => {
    const [primary, secondary, token] = await withWriter()
    const view = secondary.as(token)
    const { ciphertext } = await view.transit.encrypt({ name: 'made-there', plaintext: new Uint8Array([1]) })
    expect([...(await primary.transit.decrypt({ name: 'made-there', ciphertext })).plaintext]).toEqual([1])
    const { batch_results } = await view.transit.encryptBatch({
      name: 'made-too',
      batch_input: [{ plaintext: new Uint8Array([2]) }, { plaintext: new Uint8Array([3]), reference: 'b' }],
    })
    expect(batch_results).toMatchObject([{ key_version: 1 }, { key_version: 1, reference: 'b' }])
  })

  it('is authorized by the current policies of the primary', async () => {
    const [primary, secondary, token] = await withWriter()
    expect((await send(secondary, token, 'POST', 'transit/keys/never')).status).toBe(403)
    expect((await send(secondary, token, 'POST', 'secret/marked', { other: 1 })).status).toBe(403)
    expect((await send(secondary, token, 'POST', 'secret/marked', { only: 1 })).status).toBe(204)
    await primary.policies.writePolicy({ name: 'writers', policy: 'path "secret/*" { capabilities = ["read"] }' })
    // The secondary does not have the new policy yet, so it forwards the write.
    expect((await send(secondary, token, 'POST', 'secret/two', { v: 1 })).status).toBe(403)
    await expect(primary.kv.readSecret({ path: 'two' })).rejects.toMatchObject({ status: 404 })
  })

  it('fails with the error that the primary returns', async () => {
    const [primary, secondary, token] = await withWriter()
    await primary.transit.createKey({ name: 'k' })
    await secondary.tick()
    const there = await primary.as((await primary.tokens.createToken({ policies: ['writers'] })).client_token)
    for (const act of [
      (view: typeof there) => view.transit.configureKey({ name: 'k', min_decryption_version: 9 }),
      (view: typeof there) => view.transit.createKey({ name: 'x', type: 'nonsense' as 'aes256-gcm96' }),
    ]) {
      const expected = await act(there).catch((error: unknown) => error)
      const found = await act(secondary.as(token) as typeof there).catch((error: unknown) => error)
      expect(found).toMatchObject({ code: (expected as { code: string }).code, message: (expected as Error).message })
    }
  })

  it('by the application is refused unless the activation token has permitted such writes', async () => {
    const [, secondary] = await withWriter()
    await expect(secondary.kv.writeSecret({ path: 'a', data: { v: 1 } })).rejects.toMatchObject({
      code: 'ERR_READ_ONLY',
      status: 400,
    })
    const [primary, otherKernel] = await withWriter('app')
    await otherKernel.kv.writeSecret({ path: 'a', data: { v: 1 } })
    expect((await primary.kv.readSecret({ path: 'a' })).data).toEqual({ v: 1 })
    expect((await otherKernel.kv.readSecret({ path: 'a' })).data).toEqual({ v: 1 })
  })

  it('fails with status 503 if the primary is unreachable', async () => {
    const [primary, secondary, token] = await withWriter()
    await primary.close()
    expect((await send(secondary, token, 'POST', 'secret/one', { v: 1 })).status).toBe(503)
    expect((await send(secondary, token, 'GET', 'secret/before')).status).toBe(200)
  })

  it('to a local mount is executed on the secondary', async () => {
    const [primary, secondary] = await withWriter()
    await secondary.mounts.createMount({ path: 'here/', type: 'kv', local: true })
    await secondary.kv.at('here/').writeSecret({ path: 'a', data: { v: 1 } })
    await primary.kv.writeSecret({ path: 'x', data: { v: 1 } })
    expect((await secondary.tick()).failed).toEqual([])
    expect((await secondary.kv.at('here/').readSecret({ path: 'a' })).data).toEqual({ v: 1 })
    await expect(primary.kv.at('here/').readSecret({ path: 'a' })).rejects.toMatchObject({ status: 404 })
  })
})
