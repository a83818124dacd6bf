/** A forwarded write depends on the secondary, its filter and its mounts at the time of the commit, not at the time of its arrival. */
import { beforeAll, describe, expect, it } from 'vitest'
import { coreRecordKey } from '../../../src/core/transaction/core-key.ts'
import { memoryStorage, type Op, type Storage } from '../../../src/index.ts'
import { interceptedStorage } from '../../../src/testing/intercepted-storage.ts'
import { EVERY_OPERATION, type Known } from '../../fixtures/every-operation.ts'
import { fill, EVERY_OPERATION as GOOD_REQUESTS } from '../../fixtures/good-requests.ts'
import { type Cluster, contentOf, exchangeMessage, messageFor, mountOf, refusalIn, send, World } from './world.ts'

/** Runs once, before the first commit of a replicated or local record. */
let beforeCommit: (() => Promise<void>) | undefined

const isWrite = (op: Op): boolean =>
  'key' in op && op.op !== 'check' && /^[rl]\//.test(op.key) && !op.key.startsWith('l/core/replication')

function interrupted(inner: Storage): Storage {
  return interceptedStorage(inner, {
    async around(method, work, ops) {
      const interrupt = method === 'commit' && ops?.some(isWrite) ? beforeCommit : undefined
      if (interrupt) {
        beforeCommit = undefined
        await interrupt()
      }
      return work()
    },
    aroundSync: (work) => work() as never,
    close: () => inner.close(),
  })
}

let primary: Cluster
let secondary: Cluster

beforeAll(async () => {
  const world = new World()
  primary = await world.primary({ storage: interrupted(memoryStorage({ maxOps: 128 })) })
  secondary = await world.secondary(primary, 'berlin', { forward: 'app' })
}, 60_000)

/** Deletes the secondary's record like another process of the primary. Returns a function that restores it. */
async function takeRecord(): Promise<() => Promise<void>> {
  const { host } = primary.internals
  const key = coreRecordKey(primary.center.host.kind.peer, 'berlin')
  const [found] = await host.store.getMany([key])
  const changed = () => host.cache.apply({ revision: Number.POSITIVE_INFINITY, keys: [key] })
  await host.store.commit([{ op: 'del', key }])
  changed()
  return async () => {
    await host.store.commit([host.store.encryptedPut(key, found?.value ?? new Uint8Array(), undefined)])
    changed()
  }
}

describe('a write that a secondary forwards and the primary receives before it revokes the secondary', () => {
  // Generating the transit wrapping key takes seconds.
  const writes = GOOD_REQUESTS.filter(({ operation, title }) => operation.forwardable && title !== 'transit.readWrappingKey')

  it('fails and changes nothing, for any operation', async () => {
    const { client_token } = await secondary.kernel.tokens.createToken({ policies: ['root'] })
    let interruptions = 0
    for (const listed of writes) {
      let giveBack: (() => Promise<void>) | undefined
      beforeCommit = async () => {
        giveBack = await takeRecord()
      }
      const before = await contentOf(primary)
      const { verb, path, body } = fill(listed)
      const answer = await send(secondary, verb, path, body, client_token)
      if (!giveBack) continue
      interruptions++
      expect(answer.status, listed.title).toBe(503)
      expect(await contentOf(primary), listed.title).toBe(before)
      await giveBack()
    }
    beforeCommit = undefined
    expect(interruptions).toBeGreaterThan(writes.length / 2)
  })

  it('fails and creates no entity, for a login', async () => {
    const { record } = mountOf(primary, 'auth/orchestrator/')
    let giveBack: (() => Promise<void>) | undefined
    beforeCommit = async () => {
      giveBack = await takeRecord()
    }
    const before = await contentOf(primary)
    const message = { kind: 'entity', namespace: record.namespace, mount: record.uuid, alias: 'late', metadata: {} }
    await expect(exchangeMessage(secondary, message)).rejects.toThrow(/no longer known to the primary/)
    expect(await contentOf(primary)).toBe(before)
    await giveBack?.()
  })
})

describe('a write that a secondary forwards to a mount', () => {
  it.each([
    ['a filter', () => primary.kernel.replication.writePathsFilter({ id: 'berlin', mode: 'deny', paths: ['secret/'] })],
    ['a move to a hidden path', () => primary.kernel.mounts.moveMount({ from: 'secret', to: 'other' })],
  ])('fails and changes nothing if the mount becomes hidden meanwhile by %s', async (_, hideIt) => {
    await primary.kernel.replication.writePathsFilter({ id: 'berlin', mode: 'deny', paths: ['other/'] })
    const known = EVERY_OPERATION.find(({ title }) => title === 'kv writeSecret') as Known
    const message = messageFor(primary, known, { path: 'secret/' }, null)
    beforeCommit = async () => void (await hideIt())
    const answer = await exchangeMessage(secondary, { ...message, input: { path: 'late', data: '{"v":1}' } })
    expect(refusalIn(answer)?.code).toMatch(/^ERR_(?:INVALID_REQUEST|UNSUPPORTED_PATH)$/)
    expect(beforeCommit).toBeUndefined()
    const { topology } = primary.internals
    const path = topology.mounts.byId(message['mount'] as string)?.record.path ?? ''
    await expect(primary.kernel.kv.at(path).readSecret({ path: 'late' })).rejects.toMatchObject({ status: 404 })
  })
})
