/** A request that reaches a member after its sender gave up, when thousands of later commits have made the store forget its commit id. */
import { afterEach, describe, expect, it } from 'vitest'
import { type EtcdStorage, etcdStorage } from '../../../src/adapters/storage-etcd/index.ts'
import { OutcomeUnknown } from '../../../src/core/storage/port.ts'
import { etcdHost, etcdMissing, freshPrefix } from '../../fixtures/etcd/server.ts'
import { type SlowPath, slowPath } from './slow-path.ts'

/** The number of commit ids that the storage remembers, plus the commits between two of its cleanups. */
const MANY = 8192 + 2 * 4096

/** The deadline of delayed calls. Calls that are not delayed must also complete within it. */
const HELD_MS = 3000

const undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

function open(hosts: readonly string[], prefix: string, timeoutMs = 60_000): EtcdStorage {
  const storage = etcdStorage({ hosts, prefix, timeoutMs })
  undo.push(() => storage.close())
  return storage
}

async function pathTo(host: string): Promise<SlowPath> {
  const path = await slowPath(host)
  undo.push(() => path.stop())
  return path
}

let written = 0

async function writeMany(storage: EtcdStorage): Promise<void> {
  const end = written + MANY
  const lane = async (): Promise<void> => {
    while (written < end) {
      const n = written++
      const { ok } = await storage.commit([{ op: 'put', key: `many/${n % 64}`, value: Buffer.from(`${n}`) }], `many ${n}`)
      expect(ok).toBe(true)
    }
  }
  await Promise.all(Array.from({ length: 256 }, lane))
}

describe.skipIf(etcdMissing !== undefined)(`a delayed etcd request${etcdMissing ? ` (${etcdMissing})` : ''}`, () => {
  it('does not undo a later deletion if its commit was meanwhile applied by a retry and its verdict was deleted', async () => {
    const [host, prefix] = [await etcdHost(), freshPrefix()]
    const path = await pathTo(host)
    const others = open([host], prefix)
    await others.revision()
    const slow = open([path.host], prefix, HELD_MS)
    await slow.revision(true)
    path.hold()
    const revived = [{ op: 'put', key: 'token', value: Buffer.from('good') }] as const
    await expect(slow.commit(revived, 'held up')).rejects.toThrow(OutcomeUnknown)
    // The sender would retry over another path like this.
    expect(await others.commit(revived, 'held up')).toMatchObject({ ok: true })
    expect(await others.commit([{ op: 'del', key: 'token' }], 'revoked')).toMatchObject({ ok: true })
    await writeMany(others)
    await path.release()
    expect(await others.get('token')).toBeUndefined()
  })

  it('leads to an error if the sender retries its commit after the storage has deleted the verdict', async () => {
    const [host, prefix] = [await etcdHost(), freshPrefix()]
    const path = await pathTo(host)
    const [slow, others] = [open([path.host], prefix, HELD_MS), open([host], prefix)]
    await slow.revision(true)
    path.hold()
    const made = [{ op: 'put', key: 'once', value: new Uint8Array(1), expect: 0 }] as const
    await expect(slow.commit(made, 'held up')).rejects.toThrow(OutcomeUnknown)
    await path.release()
    await writeMany(others)
    path.resume()
    for (let again = 0; again < 2; again++)
      await expect(slow.commit(made, 'held up')).rejects.toThrow('has deleted the stored outcome')
    expect(await slow.commit(made, 'another')).toMatchObject({ ok: false, conflict: 'once' })
  })

  it('is distinguished from a commit of a process that was idle for a long time', async () => {
    const [host, prefix] = [await etcdHost(), freshPrefix()]
    const [idle, others] = [open([host], prefix), open([host], prefix)]
    await idle.revision()
    await writeMany(others)
    const appended = { op: 'append', log: 'log', value: new Uint8Array(1) } as const
    const commits = ['a', 'b', 'c'].map((key) => idle.commit([{ op: 'put', key, value: new Uint8Array(1) }, appended], key))
    expect((await Promise.all(commits)).map((commit) => commit.ok && commit.appended)).toEqual([[1], [2], [3]])
    // Too many operations for one etcd transaction, so this commit has several parts.
    await writeMany(others)
    const many = Array.from(
      { length: 128 },
      (_, n) => ({ op: 'put', key: `n${n}`, value: new Uint8Array(1), expect: 0 }) as const,
    )
    expect(await idle.commit(many, 'many')).toMatchObject({ ok: true })
  })
})
