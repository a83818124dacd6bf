import { describe, expect, it } from 'vitest'
import { inProcessNetwork, memoryStorage, type ReplicationTransport } from '../../../src/index.ts'
import { fakeClock } from '../../../src/testing/index.ts'
import { DEADLINE, driven } from '../../fault/hanging-world.ts'
import { clusters, pair, rootOf, tokenOf } from './cluster.ts'

/** Texts that must not appear outside of a cluster's memory. */
const MARKS = ['swordfish-value', 'swordfish/path', 'swordfish-policy-text', 'swordfish-metadata']

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

function listened(inner: ReplicationTransport): ReplicationTransport & { readonly messages: string[] } {
  const messages: string[] = []
  return {
    messages,
    listen: (address, handler) => inner.listen(address, handler),
    async request(address, bytes, signal) {
      messages.push(hexOf(bytes))
      const answer = await inner.request(address, bytes, signal)
      messages.push(hexOf(answer))
      return answer
    },
  }
}

const shown = (texts: readonly string[], mark: string): boolean => {
  const forms = [mark, Buffer.from(mark).toString('hex'), Buffer.from(mark).toString('base64').replace(/=+$/, '')]
  return texts.some((text) => forms.some((form) => text.includes(form)))
}

describe('a replication set', () => {
  it('sends and stores no secret, path below a mount or policy text in clear text', async () => {
    const network = listened(inProcessNetwork())
    const storages = [memoryStorage({ maxOps: 128 }), memoryStorage({ maxOps: 128 })]
    const all = clusters()
    const primary = await all.make({ storage: storages[0] as never, ports: { replication: network } })
    const secondary = await all.make({ storage: storages[1] as never, ports: { replication: network } })
    const write = async () => {
      await primary.kv.writeSecret({ path: 'swordfish/path', data: { v: 'swordfish-value' } })
      await primary.policies.writePolicy({
        name: 'p',
        policy: 'path "secret/*" { capabilities = ["create", "update"] } # swordfish-policy-text',
      })
      await primary.mounts.createMount({ path: 'more', type: 'kv', description: 'swordfish-metadata' })
    }
    await write()
    await primary.replication.enablePrimary()
    const token = await tokenOf(primary, 'one')
    await secondary.replication.enableSecondary({ token })
    await secondary.tick()
    await primary.kv.writeSecret({ path: 'swordfish/path', data: { v: 'swordfish-value', again: true } })
    await secondary.tick()
    const { client_token } = await secondary.tokens.createToken({ policies: ['p'] })
    const headers = { 'X-Service-Token': client_token }
    const forwarded = await secondary.handle({
      method: 'POST',
      path: '/v1/secret/swordfish/path',
      headers,
      body: { v: 'swordfish-value' },
    })
    expect(forwarded.status).toBe(204)
    expect(await rootOf(secondary)).toBe(await rootOf(primary))
    expect(network.messages.length).toBeGreaterThan(10)
    for (const mark of [...MARKS, token, client_token]) expect(shown(network.messages, mark), mark).toBe(false)
    for (const storage of storages) {
      const entries = await storage.scan('')
      const values = entries.map(({ value }) => hexOf(value))
      for (const mark of [...MARKS, token, client_token]) expect(shown(values, mark), mark).toBe(false)
      // Keys contain paths, even in the log, but no values and no policy texts.
      for (const mark of ['swordfish-value', 'swordfish-policy-text', 'swordfish-metadata', client_token])
        expect(
          shown(
            entries.map(({ key }) => key),
            mark,
          ),
          mark,
        ).toBe(false)
    }
  })

  it('sends nothing to a cluster that has an activation token but cannot reach the primary', async () => {
    const all = clusters()
    const [primary, secondary] = await pair(all)
    const { cluster_address } = {
      cluster_address: (await secondary.replication.readStatus()).known_primary_cluster_addrs?.[0] ?? '',
    }
    expect(cluster_address).not.toBe('')
    const root = await rootOf(primary)
    const { last_wal } = await primary.replication.readStatus()
    // The outsider has another network, so it cannot reach the primary.
    const strangers = clusters()
    const odd = await strangers.make()
    await expect(odd.replication.enableSecondary({ token: await tokenOf(primary, 'other') })).rejects.toMatchObject({
      status: 502,
    })
    expect((await odd.replication.readStatus()).mode).toBe('disabled')
    expect(await rootOf(primary)).toBe(root)
    expect((await primary.replication.readStatus()).last_wal).toBeGreaterThanOrEqual(last_wal ?? 0)
  })

  it('fails the tick of a secondary within bounded time if the transport returns garbage or no answer', async () => {
    const inner = inProcessNetwork()
    let answer: ReplicationTransport['request'] = inner.request
    const network: ReplicationTransport = { listen: inner.listen, request: (...args) => answer(...args) }
    const all = clusters()
    const clock = fakeClock()
    const options = { ports: { replication: network }, clock }
    const primary = await all.make(options)
    const secondary = await all.make(options)
    await primary.replication.enablePrimary()
    await secondary.replication.enableSecondary({ token: await tokenOf(primary, 'one') })
    await secondary.tick()
    const root = await rootOf(secondary)
    await primary.kv.writeSecret({ path: 'a', data: { v: 1 } })
    const odd: readonly ReplicationTransport['request'][] = [
      async () => new Uint8Array(0),
      async () => globalThis.crypto.getRandomValues(new Uint8Array(60_000)),
      async () => new Uint8Array(64 * 1024 * 1024),
      async () => 'text' as never,
      async () => {
        throw new Error('broken')
      },
      () => new Promise(() => {}),
      async (...args) => {
        const good = await inner.request(...args)
        good[good.length >> 1] = (good[good.length >> 1] as number) ^ 1
        return good
      },
    ]
    for (const request of odd) {
      answer = request
      const { value, took } = await driven(clock, secondary.tick())
      expect(value.failed).toMatchObject([{ lane: 'replication' }])
      expect(took).toBeLessThanOrEqual(2 * DEADLINE + 1000)
      expect((await secondary.replication.readStatus()).state).toBe('idle')
      expect(await rootOf(secondary)).toBe(root)
    }
    answer = inner.request
    expect((await secondary.tick()).failed).toEqual([])
    expect(await rootOf(secondary)).toBe(await rootOf(primary))
  })
})
