import { describe, expect, it } from 'vitest'
import type { Kernel } from '../../../src/index.ts'
import { clusters, pair } from '../clusters/cluster.ts'
import { drPair, drRootOf, drTokenOf, mirrorOf, ticked } from './pair.ts'

const send = async (kernel: Kernel, method: string, path: string, token: string | undefined, body?: object) => {
  const headers = token === undefined ? {} : { 'X-Service-Token': token }
  const answer = await kernel.handle({ method, path: `/v1/${path}`, headers, ...(body ? { body } : {}) })
  return { status: answer.status, body: answer.body as Record<string, unknown> | undefined }
}

describe('a DR secondary', () => {
  it('has all records of its primary and an equal Merkle root', async () => {
    const [primary, secondary] = await drPair(clusters())
    for (let n = 0; n < 40; n++) await primary.kv.writeSecret({ path: `many/${n}`, data: { n } })
    await primary.tokens.createToken({ policies: ['default'] })
    await ticked(secondary)
    expect(await drRootOf(secondary)).toBe(await drRootOf(primary))
    expect(await secondary.replication.dr.readStatus()).toMatchObject({
      mode: 'secondary',
      state: 'stream-wals',
      lag: 0,
      lost_writes: 0,
    })
    expect(await primary.replication.dr.readStatus()).toMatchObject({ mode: 'primary', known_secondaries: ['mirror'] })
    expect(await primary.replication.dr.readStatus()).toHaveProperty('last_dr_wal')
  })

  it('refuses requests for its data', async () => {
    const [primary, secondary] = await drPair(clusters())
    const refused = { code: 'ERR_DR_SECONDARY', status: 400, message: 'path disabled in replication DR secondary mode' }
    await expect(secondary.kv.readSecret({ path: 'before' })).rejects.toMatchObject(refused)
    const { status, body } = await send(secondary, 'GET', 'secret/before', primary.rootToken)
    expect([status, body]).toEqual([400, { errors: [refused.message] }])
    expect((await send(secondary, 'GET', 'sys/health', undefined)).status).toBe(472)
    const health = { method: 'GET', path: '/v1/sys/health', headers: {}, query: { drsecondarycode: '299' } }
    expect((await secondary.handle(health)).status).toBe(299)
  })
})

describe('promotion of a DR secondary', () => {
  it('after the demotion of its primary loses no data, and keeps tokens with their cubbyholes valid', async () => {
    const [first, second] = await drPair(clusters())
    await first.policies.writePolicy({
      name: 'all',
      policy: 'path "*" { capabilities = ["create", "read", "update", "delete", "list"] }',
    })
    const { client_token, accessor } = await first.tokens.createToken({ policies: ['all'], ttl: '1h', renewable: true })
    expect((await send(first, 'POST', 'cubbyhole/mine', client_token, { a: 'b' })).status).toBe(204)
    await ticked(second)
    await expect(second.replication.dr.promote()).rejects.toMatchObject({ status: 400 })
    await first.kv.writeSecret({ path: 'last', data: { a: 1 } })
    const { cluster_id } = await first.replication.dr.readStatus()
    await first.replication.dr.demotePrimary()
    await expect(first.kv.readSecret({ path: 'last' })).rejects.toMatchObject({ code: 'ERR_DR_SECONDARY' })
    expect(await second.replication.dr.promote()).toMatchObject({ complete: true })
    expect(await second.replication.dr.readStatus()).toMatchObject({ mode: 'primary', state: 'running', cluster_id })
    expect((await send(second, 'GET', 'sys/health', undefined)).status).toBe(200)
    expect((await second.kv.readSecret({ path: 'last' })).data).toEqual({ a: 1 })
    expect((await send(second, 'GET', 'cubbyhole/mine', client_token)).body).toMatchObject({ data: { a: 'b' } })
    expect((await second.as(client_token).tokens.renewSelf({ increment: '2h' })).accessor).toBe(accessor)
    expect((await send(second, 'GET', 'secret/last', first.rootToken)).status).toBe(200)
    await second.tokens.revokeToken({ token: client_token })
    await second.kv.writeSecret({ path: 'new', data: { a: 2 } })
    await first.replication.dr.updatePrimary({ token: await drTokenOf(second, 'back') })
    await ticked(first)
    expect(await drRootOf(first)).toBe(await drRootOf(second))
    expect(await first.replication.dr.readStatus()).toMatchObject({ state: 'stream-wals', lost_writes: 0, cluster_id })
    await second.replication.dr.demotePrimary()
    await first.replication.dr.promote()
    expect((await first.kv.readSecret({ path: 'new' })).data).toEqual({ a: 2 })
    await expect(first.as(client_token).tokens.lookupSelf()).rejects.toMatchObject({ status: 403 })
  })

  it('makes it the performance primary if its primary was that, and the performance secondary streams without a Merkle sync', async () => {
    const all = clusters()
    const [primary, serving] = await pair(all)
    await primary.replication.dr.enablePrimary()
    const mirror = await mirrorOf(primary, all)
    await primary.kv.writeSecret({ path: 'both', data: { a: 1 } })
    await ticked(mirror)
    // The secondary learns the addresses of the DR secondary.
    await ticked(serving)
    const { cluster_id, known_secondaries } = await primary.replication.readStatus()
    await primary.replication.dr.demotePrimary()
    expect(await primary.replication.readStatus()).toEqual({ mode: 'disabled' })
    await mirror.replication.dr.promote()
    expect(await mirror.replication.readStatus()).toMatchObject({ mode: 'primary', cluster_id, known_secondaries })
    await mirror.kv.writeSecret({ path: 'after', data: { a: 2 } })
    const states: string[] = []
    serving.events.on('replication.state_changed', ({ state }) => states.push(state))
    await ticked(serving)
    expect(states).not.toContain('merkle-diff')
    expect((await serving.kv.readSecret({ path: 'after' })).data).toEqual({ a: 2 })
    await ticked(mirror)
    expect((await serving.replication.readStatus()).merkle_root).toBe((await mirror.replication.readStatus()).merkle_root)
  })

  it('makes it a performance secondary if its primary was one, with the same id and credentials', async () => {
    const all = clusters()
    const [top, primary] = await pair(all)
    await primary.replication.dr.enablePrimary()
    const mirror = await mirrorOf(primary, all)
    await top.kv.writeSecret({ path: 'from-top', data: { a: 1 } })
    await ticked(primary)
    await ticked(mirror)
    await primary.replication.dr.demotePrimary()
    await mirror.replication.dr.promote()
    expect(await mirror.replication.readStatus()).toMatchObject({ mode: 'secondary', secondary_id: 'one' })
    await top.kv.writeSecret({ path: 'later', data: { a: 2 } })
    await ticked(mirror)
    expect((await mirror.kv.readSecret({ path: 'later' })).data).toEqual({ a: 2 })
    expect((await mirror.replication.readStatus()).merkle_root).toBe((await top.replication.readStatus()).merkle_root)
  })

  it('loses no records although two clusters exchange their roles twelve times', async () => {
    let [firstKernel, otherKernel] = await drPair(clusters())
    for (let n = 0; n < 12; n++) {
      await firstKernel.kv.writeSecret({ path: `n/${n}`, data: { n } })
      if (n % 3 === 0) await ticked(otherKernel)
      await firstKernel.replication.dr.demotePrimary()
      await otherKernel.replication.dr.promote()
      await firstKernel.replication.dr.updatePrimary({ token: await drTokenOf(otherKernel, `back-${n}`) })
      await ticked(firstKernel)
      expect(await drRootOf(firstKernel)).toBe(await drRootOf(otherKernel))
      expect((await firstKernel.replication.dr.readStatus()).lost_writes).toBe(0)
      ;[firstKernel, otherKernel] = [otherKernel, firstKernel]
    }
    for (let n = 0; n < 12; n++) expect((await firstKernel.kv.readSecret({ path: `n/${n}` })).data).toEqual({ n })
  })

  it('is refused after the promotion of another DR secondary', async () => {
    const all = clusters()
    const [first, second] = await drPair(all)
    const third = await mirrorOf(first, all, 'third')
    await first.replication.dr.demotePrimary()
    await second.replication.dr.promote()
    await expect(third.replication.dr.promote()).rejects.toMatchObject({ status: 400 })
    await expect(first.replication.dr.enablePrimary()).rejects.toMatchObject({ code: 'ERR_DR_SECONDARY' })
    await third.replication.dr.updatePrimary({ token: await drTokenOf(second, 'third') })
    const states: string[] = []
    third.events.on('replication.state_changed', ({ state }) => states.push(state))
    await second.kv.writeSecret({ path: 'to-third', data: { a: 1 } })
    await ticked(third)
    // It was in sync, so it does not run a Merkle sync.
    expect(states).not.toContain('merkle-diff')
    expect(await drRootOf(third)).toBe(await drRootOf(second))
  })

  it('by force makes the former primary report its lost writes when it joins again', async () => {
    const [first, second] = await drPair(clusters())
    await first.kv.writeSecret({ path: 'only-first', data: { a: 1 } })
    await second.replication.dr.promote({ force: true })
    await second.kv.writeSecret({ path: 'only-second', data: { a: 1 } })
    await first.replication.dr.demotePrimary()
    await first.replication.dr.updatePrimary({ token: await drTokenOf(second, 'back') })
    await ticked(first)
    expect(await drRootOf(first)).toBe(await drRootOf(second))
    expect((await first.replication.dr.readStatus()).lost_writes).toBeGreaterThan(0)
  })
})
