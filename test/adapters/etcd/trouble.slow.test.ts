/** Clusters without space, without a leader, with compacted changes, and with required client certificates. */
import { afterEach, describe, expect, it } from 'vitest'
import { type EtcdStorage, type EtcdStorageOptions, etcdStorage } from '../../../src/adapters/storage-etcd/index.ts'
import { type Change, createKernel, keySeal } from '../../../src/index.ts'
import { ask, type ClusterOptions, type EtcdCluster, startEtcd } from '../../fixtures/etcd/cluster.ts'
import { etcdMissing, freshPrefix } from '../../fixtures/etcd/server.ts'
import { makeAuthority } from '../../fixtures/etcd/tls.ts'
import { startFreezingProxy } from '../../fixtures/servers/freezing-proxy.ts'
import { untilReached } from '../../fixtures/until-reached.ts'

const put = (key: string, value: Uint8Array = new Uint8Array(1)) => ({ op: 'put', key, value }) as const
/** The number of paths that are overwritten repeatedly, so that a compaction frees space. */
const PATHS = 4
const seal = keySeal(new Uint8Array(32).fill(3))

const undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

function open(options: Partial<EtcdStorageOptions> & Pick<EtcdStorageOptions, 'hosts'>): EtcdStorage {
  const storage = etcdStorage({ prefix: freshPrefix(), ...options })
  undo.push(() => storage.close())
  return storage
}

async function cluster(options: ClusterOptions = {}): Promise<EtcdCluster> {
  const started = await startEtcd(options)
  undo.push(() => started.stop())
  return started
}

describe.skipIf(etcdMissing !== undefined)(`an etcd cluster${etcdMissing ? ` (${etcdMissing})` : ''}`, () => {
  it('without free space still serves reads, but refuses writes with the reason', async () => {
    const { hosts } = await cluster({ flags: ['--quota-backend-bytes', String(4 * 1024 * 1024)] })
    const prefix = freshPrefix()
    const storage = open({ hosts, prefix })
    const kernel = await createKernel({ storage, seal, initialize: true })
    undo.push(() => kernel.close())
    const secret = (n: number) => ({ path: `s/${n % PATHS}`, data: { text: 'x'.repeat(150_000), n } })
    let written = 0
    let refusal: unknown
    while (refusal === undefined && written < 200) {
      await kernel.kv.writeSecret(secret(written)).then(
        () => written++,
        (error: unknown) => {
          refusal = error
        },
      )
    }
    expect(refusal).toMatchObject({ code: 'ERR_UNAVAILABLE', status: 503 })
    expect((refusal as Error).cause).toMatchObject({
      message: expect.stringMatching(/etcd at 127\.0\.0\.1:\d+: mvcc: database space exceeded/),
    })
    const otherKernel = await createKernel({ storage: open({ hosts, prefix }), seal })
    undo.push(() => otherKernel.close())
    for (let n = written - PATHS; n < written; n++)
      expect((await otherKernel.kv.readSecret({ path: secret(n).path })).data['n']).toBe(n)
    const [first] = await storage.scan('', { limit: 1 })
    expect(await storage.get(first!.key)).toEqual(first)
    expect(await storage.getMany([first!.key, 'nothing'])).toEqual([first, undefined])
    expect(await storage.list('', { limit: 1 })).toEqual([first!.key])
    expect(await storage.revision(true)).toBeGreaterThan(0)
    // The repair steps of an operator.
    const { header } = (await ask(hosts[0]!, '/v3/kv/range', { key: 'AA==' })) as { header: { revision: string } }
    await ask(hosts[0]!, '/v3/kv/compaction', { revision: header.revision, physical: true })
    await ask(hosts[0]!, '/v3/maintenance/defragment', {})
    const { alarms } = (await ask(hosts[0]!, '/v3/maintenance/alarm', { action: 'GET' })) as { alarms: { memberID: string }[] }
    for (const { memberID } of alarms)
      await ask(hosts[0]!, '/v3/maintenance/alarm', { action: 'DEACTIVATE', memberID, alarm: 'NOSPACE' })
    await kernel.kv.writeSecret({ path: 'after', data: { fits: true } })
  })

  it('without a leader answers no read from stale data, and serves reads again once it has a leader', async () => {
    const { members, hosts } = await cluster({ size: 3 })
    const storage = open({ hosts, timeoutMs: 5000 })
    const kernel = await createKernel({ storage, seal, initialize: true, cache: { stalenessMs: 200 } })
    undo.push(() => kernel.close())
    await kernel.kv.writeSecret({ path: 'a', data: { n: 1 } })
    const readStatus = () =>
      kernel.kv.readSecret({ path: 'a' }).then(
        () => 200,
        ({ status }: { status: number }) => status,
      )
    await Promise.all([members[0]!.kill(), members[1]!.kill()])
    await Promise.all([
      expect(storage.get('a')).rejects.toThrow(/no answer within 5000 ms; .*etcd at 127\.0\.0\.1:\d+: no leader/),
      // The kernel answers from its cache until the cache is stale.
      expect.poll(readStatus, { timeout: 60_000 }).toBe(503),
    ])
    await members[0]!.start()
    await expect.poll(() => storage.get('a').then(() => 'served'), { timeout: 60_000 }).toBe('served')
    expect((await kernel.kv.readSecret({ path: 'a' })).data).toEqual({ n: 1 })
  })

  it('notifies a watcher that any key may have changed if it has compacted changes that the watcher missed', async () => {
    const { members, hosts } = await cluster()
    const port = Number(new URL(members[0]!.url).port)
    const proxy = await startFreezingProxy('127.0.0.1', port)
    undo.push(() => proxy.stop())
    const prefix = freshPrefix()
    const [watching, writing] = [open({ hosts: `http://127.0.0.1:${proxy.port}`, prefix }), open({ hosts, prefix })]
    const changes: Change[] = []
    await watching.watch('', await watching.revision(true), (change) => changes.push(change))
    const verdict = await writing.commit([put('a')], 'a')
    await expect.poll(() => changes.at(-1)?.revision, { timeout: 60_000 }).toBe(verdict.ok && verdict.revision)
    proxy.freeze()
    await writing.commit([put('b')], 'b')
    const last = await writing.commit([put('c')], 'c')
    const { header } = (await ask(hosts[0]!, '/v3/kv/range', { key: 'AA==' })) as { header: { revision: string } }
    await ask(hosts[0]!, '/v3/kv/compaction', { revision: header.revision, physical: true })
    proxy.thaw()
    await expect.poll(() => changes.at(-1), { timeout: 60_000 }).toEqual({ revision: last.ok && last.revision, keys: null })
    const after = await writing.commit([put('d')], 'd')
    await expect.poll(() => changes.at(-1), { timeout: 60_000 }).toEqual({ revision: after.ok && after.revision, keys: ['d'] })
  })

  it('that requires client certificates refuses wrong ones, and the error is reported before the deadline', async () => {
    const [authority, stranger] = [makeAuthority('ours'), makeAuthority('theirs')]
    undo.push(async () => {
      for (const issuer of [authority, stranger]) issuer.drop()
    })
    const { hosts } = await cluster({ scheme: 'https', flags: authority.flags })
    const storage = open({ hosts, tls: authority.issue('client') })
    await expect.poll(() => storage.commit([put('a')], 'a').then(({ ok }) => ok), { timeout: 60_000 }).toBe(true)
    const { ca } = authority
    const { cert, key } = stranger.issue('client')
    const messages = await Promise.all(
      [{}, { ca: stranger.ca }, { ca }, { ca, cert, key }].map((tls) =>
        open({ hosts, tls, timeoutMs: 50_000 })
          .get('a')
          .then(
            () => 'it worked',
            (error: Error) => error.message,
          ),
      ),
    )
    for (const message of messages)
      expect(message).toMatch(/^etcd: no member is usable; etcd at 127\.0\.0\.1:\d+: no secure connection/)
    const plain = hosts.map((host) => host.replace('https', 'http'))
    const expected =
      /; etcd at 127\.0\.0\.1:\d+: it closed the connection before it sent anything; the host of a member with TLS must begin with https/
    await untilReached(async (timeoutMs) => {
      const error: unknown = await open({ hosts: plain, timeoutMs })
        .get('a')
        .catch((thrown: unknown) => thrown)
      return expected.test((error as Error).message)
    })
  })
})
