import { describe, expect, it } from 'vitest'
import { clusters, pair, rootOf, tokenOf } from './cluster.ts'

describe('a secondary', () => {
  it('has the earlier records of its primary, and applies later writes', async () => {
    const [primary, secondary] = await pair(clusters())
    for (let n = 0; n < 300; n++) await primary.kv.writeSecret({ path: `many/${n}`, data: { n } })
    await primary.kv.deleteSecret({ path: 'before' })
    await primary.policies.writePolicy({ name: 'readers', policy: 'path "secret/*" { capabilities = ["read"] }' })
    await primary.mounts.createMount({ path: 'more/', type: 'kv', options: { version: '2' } })
    const { failed } = await secondary.tick()
    expect(failed).toEqual([])
    expect((await secondary.kv.readSecret({ path: 'many/299' })).data).toEqual({ n: 299 })
    await expect(secondary.kv.readSecret({ path: 'before' })).rejects.toMatchObject({ status: 404 })
    expect((await secondary.policies.readPolicy({ name: 'readers' })).name).toBe('readers')
    expect(await rootOf(secondary)).toBe(await rootOf(primary))
    expect(await secondary.replication.readStatus()).toMatchObject({
      mode: 'secondary',
      state: 'stream-wals',
      lag: 0,
      lost_writes: 0,
    })
  })

  it('discards its earlier data when it joins', async () => {
    const all = clusters()
    const [primary, secondary] = [await all.make(), await all.make()]
    await secondary.kv.writeSecret({ path: 'own', data: { a: 1 } })
    const token = secondary.rootToken as string
    await primary.replication.enablePrimary()
    await secondary.replication.enableSecondary({ token: await tokenOf(primary, 'one') })
    await expect(secondary.kv.readSecret({ path: 'own' })).rejects.toMatchObject({ status: 404 })
    const { status } = await secondary.handle({ method: 'GET', path: '/v1/secret/own', headers: { 'X-Service-Token': token } })
    expect(status).toBe(403)
    await secondary.tick()
    expect(await rootOf(secondary)).toBe(await rootOf(primary))
  })

  it('encrypts with the keys of its primary, but has tokens of its own', async () => {
    const [primary, secondary] = await pair(clusters())
    await primary.transit.createKey({ name: 'orders' })
    await secondary.tick()
    const { ciphertext } = await secondary.transit.encrypt({ name: 'orders', plaintext: new Uint8Array([1, 2, 3]) })
    const { plaintext } = await primary.transit.decrypt({ name: 'orders', ciphertext })
    expect([...plaintext]).toEqual([1, 2, 3])
    await primary.transit.rotateKey({ name: 'orders' })
    await secondary.tick()
    expect((await secondary.transit.encrypt({ name: 'orders', plaintext: new Uint8Array(1) })).ciphertext).toContain(':v2:')
    const { client_token } = await secondary.tokens.createToken({ policies: ['default'] })
    await expect(primary.as(client_token).tokens.lookupSelf()).rejects.toMatchObject({ status: 403 })
    expect((await secondary.as(client_token).tokens.lookupSelf()).policies).toEqual(['default'])
  })

  it('applies missed writes from the log without a Merkle sync', async () => {
    const all = clusters()
    const [primary, secondary] = await pair(all)
    await primary.kv.writeSecret({ path: 'meanwhile', data: { a: 1 } })
    await secondary.tick()
    for (let n = 0; n < 20; n++) await primary.kv.writeSecret({ path: `off/${n}`, data: { n } })
    const states: string[] = []
    secondary.events.on('replication.state_changed', ({ state }) => states.push(state))
    await secondary.tick()
    expect(states).not.toContain('merkle-diff')
    expect(await rootOf(secondary)).toBe(await rootOf(primary))
  })

  it('follows its primary without calls of tick() after start()', async () => {
    const [primary, secondary] = await pair(clusters())
    const stop = secondary.start()
    try {
      await primary.kv.writeSecret({ path: 'soon', data: { a: 1 } })
      await expect.poll(() => secondary.kv.readSecret({ path: 'soon' }).catch(() => undefined), { timeout: 60_000 }).toBeTruthy()
    } finally {
      stop()
    }
  })

  it('receives nothing after its revocation, which its status reports', async () => {
    const [primary, secondary] = await pair(clusters())
    await primary.replication.revokeSecondary({ id: 'one' })
    await primary.kv.writeSecret({ path: 'secret', data: { a: 1 } })
    const { failed } = await secondary.tick()
    expect(failed).toMatchObject([{ lane: 'replication' }])
    await expect(secondary.kv.readSecret({ path: 'secret' })).rejects.toMatchObject({ status: 404 })
    expect(await secondary.replication.readStatus()).toMatchObject({
      state: 'idle',
      last_error: expect.stringContaining('revoked'),
    })
    expect((await primary.replication.readStatus()).known_secondaries).toEqual([])
  })
})
