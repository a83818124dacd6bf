/** The answers of a cluster while its former records are being deleted, for all operations. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStorage, type Op } from '../../../src/index.ts'
import { interceptedStorage } from '../../../src/testing/intercepted-storage.ts'
import { EVERY_OPERATION, methodOf, requestOf } from '../../fixtures/every-operation.ts'
import { type Cluster, World } from '../forwarding/world.ts'

let cluster: Cluster
let goOn: () => void
let joined: Promise<unknown>

const clears = (op: Op): boolean => op.op === 'del' && op.key.startsWith('l/')

beforeAll(async () => {
  const world = new World()
  const primary = await world.open()
  await primary.kernel.replication.enablePrimary()
  const { wrap_info } = await primary.kernel.replication.createSecondaryToken({ id: 'berlin' })
  const inner = memoryStorage({ maxOps: 128 })
  let begun: () => void
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve
  })
  const mayGoOn = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const storage = interceptedStorage(inner, {
    async around(method, work, ops) {
      // All replicated records are deleted by then, including the mounts.
      if (method === 'commit' && ops?.some(clears)) {
        begun()
        await mayGoOn
      }
      return work()
    },
    aroundSync: (work) => work() as never,
    close: () => inner.close(),
  })
  cluster = await world.open({ storage })
  joined = cluster.kernel.replication.enableSecondary({ token: wrap_info?.token ?? '' })
  await hasBegun
}, 60_000)

afterAll(async () => {
  goOn()
  await joined
})

/** Operations that report the state of the cluster. */
const STATUSES = ['readPerformanceStatus', 'readReplicationStatus', 'readDrStatus']

const isServed = ({ operation, method }: (typeof EVERY_OPERATION)[number]): boolean =>
  operation.inAnyState === true || STATUSES.includes(method)

describe('a cluster that is becoming a secondary', () => {
  it('reports the mode "bootstrapping" in every status, by path and by typed call', async () => {
    const get = async (path: string) =>
      (await cluster.kernel.handle({ method: 'GET', path: `/v1/sys/replication/${path}` })) as never
    expect(await get('performance/status')).toMatchObject({ status: 200, body: { data: { mode: 'bootstrapping' } } })
    expect(await get('status')).toMatchObject({
      status: 200,
      body: { data: { performance: { mode: 'bootstrapping' }, dr: { mode: 'disabled' } } },
    })
    expect(await get('dr/status')).toMatchObject({ status: 200, body: { data: { mode: 'disabled' } } })
    expect(await cluster.kernel.replication.readStatus()).toEqual({ mode: 'bootstrapping' })
  })

  it.each([
    {},
    { standbyok: 'true', perfstandbyok: 'true' },
    { activecode: '200', standbycode: '200', performancestandbycode: '200', drsecondarycode: '200', sealedcode: '200' },
  ])('is reported as not ready by sys/health with the parameters %o', async (query) => {
    for (const method of ['GET', 'HEAD']) {
      const { status, body } = await cluster.kernel.handle({ method, path: '/v1/sys/health', query })
      expect(status).toBe(503)
      if (method === 'GET')
        expect(body).toMatchObject({ replication_performance_mode: 'bootstrapping', standby: true, sealed: false })
    }
  })

  it('answers every other operation by path with status 503, whatever the token', async () => {
    for (const known of EVERY_OPERATION.filter((operation) => !isServed(operation))) {
      for (const token of ['', cluster.root]) {
        const { status } = await cluster.kernel.handle(
          requestOf(known, { path: 'a', name: 'k' }, token ? { 'X-Service-Token': token } : {}),
        )
        expect([status, known.title]).toEqual([503, known.title])
      }
    }
  })

  it('fails every other typed call with status 503', async () => {
    const view = cluster.kernel.as(cluster.root)
    let called = 0
    for (const known of EVERY_OPERATION.filter((operation) => !isServed(operation))) {
      const method = methodOf(view, known)
      if (!method) continue
      called++
      await expect(method({}), known.title).rejects.toMatchObject({ status: 503 })
    }
    expect(called).toBeGreaterThan(100)
  })
})
