/** A request that reaches a member long after its sender has given it up. */
import { afterEach, describe, expect, it } from 'vitest'
import { type EtcdStorage, etcdStorage } from '../../../src/adapters/storage-etcd/index.ts'
import { OutcomeUnknown } from '../../../src/core/storage/port.ts'
import { etcdHost, etcdMissing, freshPrefix } from '../../fixtures/etcd/server.ts'
import { type SlowPath, slowPath } from './slow-path.ts'

/** The deadline of calls that are held up. A call before that has to be answered within it. */
const HELD_MS = 3000

const undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one()
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

describe.skipIf(etcdMissing !== undefined)(`a request that arrives late${etcdMissing ? ` (${etcdMissing})` : ''}`, () => {
  it('is carried out where it was only slow', async () => {
    const [host, prefix] = [await etcdHost(), freshPrefix()]
    const path = await pathTo(host)
    const [slow, others] = [open([path.host], prefix, HELD_MS), open([host], prefix)]
    await slow.revision(true)
    path.hold()
    await expect(slow.commit([{ op: 'put', key: 'a', value: new Uint8Array(1) }], 'held up')).rejects.toThrow(OutcomeUnknown)
    await path.release()
    expect((await others.get('a'))?.value).toEqual(new Uint8Array(1))
  })
})
