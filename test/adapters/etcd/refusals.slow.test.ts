/** A storage that mixes hosts of two clusters, and users that etcd rejects. Each test starts its own clusters. */
import { inspect } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { type EtcdStorage, type EtcdStorageOptions, etcdStorage } from '../../../src/adapters/storage-etcd/index.ts'
import { createKernel, keySeal } from '../../../src/index.ts'
import { ask, type ClusterOptions, type EtcdCluster, startEtcd } from '../../fixtures/etcd/cluster.ts'
import { etcdMissing, freshPrefix } from '../../fixtures/etcd/server.ts'
import { untilReached } from '../../fixtures/until-reached.ts'

const put = (key: string, value = new Uint8Array(1)) => ({ op: 'put', key, value }) as const
const PASSWORD = 'correct-horse-battery'

const undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

function open(options: Partial<EtcdStorageOptions> & Pick<EtcdStorageOptions, 'hosts'>): EtcdStorage {
  const storage = etcdStorage({ prefix: freshPrefix(), ...options })
  undo.push(() => storage.close())
  return storage
}

async function cluster(options: ClusterOptions): Promise<EtcdCluster> {
  const started = await startEtcd(options)
  undo.push(() => started.stop())
  return started
}

const messageOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'it worked',
    (error: Error) => error.message,
  )

describe.skipIf(etcdMissing !== undefined)(`an etcd storage${etcdMissing ? ` (${etcdMissing})` : ''}`, () => {
  it('names TLS in the error if it connects by https to a cluster without TLS', async () => {
    const { hosts } = await cluster({})
    await untilReached(async (timeoutMs) => {
      const message = await messageOf(open({ hosts: hosts[0]!.replace('http', 'https'), timeoutMs }).get('a'))
      return /; etcd at 127\.0\.0\.1:\d+: .*TLS/.test(message)
    })
  })

  it('rejects a list of hosts that belong to two clusters', async () => {
    const [firstCluster, otherCluster] = await Promise.all([cluster({}), cluster({})])
    const prefix = freshPrefix()
    const storage = open({ hosts: [...firstCluster.hosts, ...otherCluster.hosts], prefix })
    await storage.revision()
    const stamp = { key: Buffer.from(`${prefix}f`).toString('base64') }
    const isFirst = (await ask(firstCluster.hosts[0]!, '/v3/kv/range', stamp))['kvs'] !== undefined
    await (isFirst ? firstCluster : otherCluster).members[0]!.kill()
    await expect(storage.get('a')).rejects.toThrow(/hosts: .* and .* are members of different etcd clusters/)
  })

  it('reports a wrong password, a missing user and missing permissions, and renews an expired token', async () => {
    const { members, hosts } = await cluster({})
    const [host] = hosts as [string]
    const prefix = 'app/'
    await ask(host, '/v3/auth/user/add', { name: 'root', password: 'root' })
    await ask(host, '/v3/auth/user/grant', { user: 'root', role: 'root' })
    for (const name of ['app', 'stranger']) await ask(host, '/v3/auth/user/add', { name, password: PASSWORD })
    await ask(host, '/v3/auth/role/add', { name: 'app' })
    const [key, end] = ['app/', 'app0'].map((text) => Buffer.from(text).toString('base64'))
    const perm = { permType: 'READWRITE', key, range_end: end }
    await ask(host, '/v3/auth/role/grant', { name: 'app', perm })
    await ask(host, '/v3/auth/user/grant', { user: 'app', role: 'app' })
    await ask(host, '/v3/auth/enable', {})

    const wrong = await open({ hosts, prefix, user: 'app', password: `${PASSWORD}x` })
      .get('a')
      .catch((error: unknown) => error)
    expect((wrong as Error).message).toMatch(/etcd at 127\.0\.0\.1:\d+: authentication failed, invalid user ID or password/)
    // The properties and causes of the error must not contain the password either.
    expect(inspect(wrong, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toContain(PASSWORD)
    expect(await messageOf(open({ hosts, prefix }).get('a'))).toMatch(/etcd at .*: user name is empty/)
    expect(await messageOf(open({ hosts, prefix, user: 'stranger', password: PASSWORD }).get('a'))).toMatch(
      /etcd at .*: permission denied/,
    )

    const refusalOf = (options: object) =>
      messageOf(
        createKernel({ storage: open({ hosts, prefix, ...options }), seal: keySeal(new Uint8Array(32)), initialize: true }),
      )
    expect(await refusalOf({ user: 'stranger', password: PASSWORD })).toBe(
      'the storage refused the call: permission denied (gRPC status 7); this is not an outage: ' +
        'grant the etcd user readwrite on the prefix; nothing is known to have changed',
    )
    expect(await refusalOf({ user: 'app', password: 'wrong' })).toContain('login refused (gRPC status 3); this is not an outage')

    const storage = open({ hosts, prefix, user: 'app', password: PASSWORD })
    const revisions: number[] = []
    await storage.watch('', 0, ({ revision }) => revisions.push(revision))
    expect((await storage.commit([put('a')], 'a')).ok).toBe(true)
    // A member keeps tokens in memory only, so a restart invalidates them.
    await members[0]!.kill()
    await members[0]!.start()
    const verdict = await storage.commit([put('b')], 'b')
    expect(verdict.ok).toBe(true)
    await expect.poll(() => revisions.at(-1), { timeout: 60_000 }).toBe(verdict.ok && verdict.revision)
  })
})
