/** Tokens, leases, due work, audit devices and the configuration service survive a DR failover. */
import { describe, expect, it } from 'vitest'
import { inProcessNetwork, type Kernel, keySeal, memoryStorage } from '../../../src/index.ts'
import { fakeClock } from '../../../src/testing/index.ts'
import { clusters } from '../clusters/cluster.ts'
import { drPair, drTokenOf, mirrorOf, ticked } from './pair.ts'

const statusOf = async (kernel: Kernel, method: string, path: string, token: string): Promise<number> =>
  (await kernel.handle({ method, path: `/v1/${path}`, headers: { 'X-Service-Token': token } })).status

/** Demotes the primary and promotes the secondary. */
async function failOver(primary: Kernel, secondary: Kernel): Promise<void> {
  await primary.replication.dr.demotePrimary()
  await secondary.replication.dr.promote()
}

describe('after a DR failover', () => {
  it('a token and its lease expire at their original time', async () => {
    const clock = fakeClock(1_700_000_000_000)
    const [first, second] = await drPair(clusters(), { clock })
    const { client_token } = await first.tokens.createToken({ policies: ['default'], ttl: '10m' })
    const parent = await first.tokens.createToken({ policies: ['root'], ttl: '1h' })
    const child = await first.as(parent.client_token).tokens.createToken({ policies: ['default'], ttl: '1h' })
    await ticked(second)
    await failOver(first, second)
    expect(await statusOf(second, 'GET', 'auth/token/lookup-self', client_token)).toBe(200)
    await clock.advance(601_000)
    expect(await statusOf(second, 'GET', 'auth/token/lookup-self', client_token)).toBe(403)
    expect((await second.tick()).done).toBeGreaterThan(0)
    await second.tokens.revokeToken({ token: parent.client_token })
    expect(await statusOf(second, 'GET', 'auth/token/lookup-self', child.client_token)).toBe(403)
  })

  it('a token with limited uses and a wrapping token are valid for as many uses as before', async () => {
    const [first, second] = await drPair(clusters())
    const { client_token } = await first.tokens.createToken({ policies: ['default'], num_uses: 2 })
    const wrapped = await first.wrapping.wrap({ data: { a: 1 }, ttl: '1h' })
    await ticked(second)
    // Counting a use changes a record, which a DR secondary may not do, so the request is refused before it counts.
    expect(await statusOf(second, 'GET', 'auth/token/lookup-self', client_token)).toBe(400)
    await failOver(first, second)
    const uses = () => statusOf(second, 'GET', 'auth/token/lookup-self', client_token)
    expect([await uses(), await uses(), await uses()]).toEqual([200, 200, 403])
    expect(JSON.stringify(await second.wrapping.unwrap({ token: wrapped.token }))).toContain('1')
    await expect(second.wrapping.unwrap({ token: wrapped.token })).rejects.toMatchObject({ status: 400 })
  })

  it('transit keys are unchanged, and rotated when due', async () => {
    const clock = fakeClock(1_700_000_000_000)
    const [first, second] = await drPair(clusters(), { clock })
    await first.transit.createKey({ name: 'orders', auto_rotate_period: '2h' })
    const { ciphertext } = await first.transit.encrypt({ name: 'orders', plaintext: new Uint8Array([7]) })
    await ticked(second)
    await clock.advance(3 * 3_600_000)
    await ticked(second)
    await ticked(first)
    await ticked(second)
    await failOver(first, second)
    expect([...(await second.transit.decrypt({ name: 'orders', ciphertext })).plaintext]).toEqual([7])
    expect((await second.transit.readKey({ name: 'orders' })).latest_version).toBe(2)
    await clock.advance(3 * 3_600_000)
    await ticked(second)
    expect((await second.transit.readKey({ name: 'orders' })).latest_version).toBe(3)
  })

  it('the configuration service has the tokens and policies of the former primary', async () => {
    const [first, second] = await drPair(clusters())
    const { SecretID = '' } = await first.configsvc.tokens.create({})
    await first.configsvc.policies.create({ Name: 'mine' })
    await ticked(second)
    await expect(second.configsvc.policies.list()).rejects.toMatchObject({ code: 'ERR_DR_SECONDARY' })
    await failOver(first, second)
    expect((await second.configsvc.policies.list()).map(({ Name }) => Name)).toContain('mine')
    expect((await second.configsvc.as(SecretID).tokens.readSelf()).SecretID).toBe(SecretID)
    await expect(first.configsvc.policies.list()).rejects.toMatchObject({ code: 'ERR_DR_SECONDARY' })
  })

  it('the audit devices of the former primary are opened, with a warning for each that cannot be opened', async () => {
    const all = clusters()
    const replication = inProcessNetwork()
    const opened: string[] = []
    const audit = (name: string) => ({
      factories: { other: () => ({ open: async () => void opened.push(name), write: async () => {} }) },
    })
    const first = await all.make({ ports: { replication, audit: audit('first') } })
    await first.audit.enableDevice({ path: 'log', type: 'other' })
    await first.replication.dr.enablePrimary()
    const second = await mirrorOf(first, all, 'second', { ports: { replication, audit: audit('second') } })
    const third = await mirrorOf(first, all, 'third', { ports: { replication } })
    expect(opened).not.toContain('second')
    await first.replication.dr.demotePrimary()
    const { warnings } = await second.replication.dr.promote()
    expect(opened).toContain('second')
    expect(warnings?.join()).not.toContain('audit')
    await third.replication.dr.updatePrimary({ token: await drTokenOf(second, 'again') })
    await ticked(third)
    await second.replication.dr.demotePrimary()
    expect((await third.replication.dr.promote()).warnings?.join()).toContain('the audit device log/')
  })
})

describe('several kernels that share a store', () => {
  it('all refuse requests once one of them has made the cluster a DR secondary, and serve them after its promotion', async () => {
    const all = clusters()
    const storage = memoryStorage({ maxOps: 128 })
    const first = await all.make()
    const token = first.rootToken as string
    await first.kv.writeSecret({ path: 'a', data: { a: 1 } })
    await first.replication.dr.enablePrimary()
    const seal = keySeal(new Uint8Array(32).fill(77))
    const firstKernel = await all.make({ storage, seal })
    const secondKernel = await all.make({ storage, seal })
    await secondKernel.kv.writeSecret({ path: 'own', data: { a: 1 } })
    await firstKernel.replication.dr.enableSecondary({ token: await drTokenOf(first, 'x') })
    await ticked(firstKernel)
    await expect(secondKernel.kv.readSecret({ path: 'own' })).rejects.toMatchObject({ code: 'ERR_DR_SECONDARY' })
    await failOver(first, firstKernel)
    for (const kernel of [firstKernel, secondKernel]) {
      expect(await statusOf(kernel, 'GET', 'secret/a', token)).toBe(200)
      await expect(kernel.kv.readSecret({ path: 'own' })).rejects.toMatchObject({ status: 404 })
    }
    expect((await secondKernel.replication.dr.readStatus()).mode).toBe('primary')
  })
})
