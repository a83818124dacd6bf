/** A request that reaches a member long after its sender gave up. */
import { afterEach, describe, expect, it } from 'vitest'
import { type EtcdStorage, etcdStorage } from '../../../src/adapters/storage-etcd/index.ts'
import { OutcomeUnknown } from '../../../src/core/storage/port.ts'
import { etcdHost, etcdMissing, freshPrefix } from '../../fixtures/etcd/server.ts'
import { untilReached } from '../../fixtures/until-reached.ts'
import { type SlowPath, slowPath } from './slow-path.ts'

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

describe.skipIf(etcdMissing !== undefined)(`a delayed etcd request${etcdMissing ? ` (${etcdMissing})` : ''}`, () => {
  it('is applied although its sender has already reported an unknown outcome', async () => {
    await untilReached(async (timeoutMs) => {
      const [host, prefix] = [await etcdHost(), freshPrefix()]
      const path = await pathTo(host)
      const [slow, others] = [open([path.host], prefix, timeoutMs), open([host], prefix)]
      // A call that is not delayed must be answered within the deadline.
      const isFast = await slow.revision(true).then(
        () => true,
        () => false,
      )
      if (!isFast) return false
      path.hold()
      await expect(slow.commit([{ op: 'put', key: 'a', value: new Uint8Array(1) }], 'held up')).rejects.toThrow(OutcomeUnknown)
      await path.release()
      expect((await others.get('a'))?.value).toEqual(new Uint8Array(1))
      return true
    })
  })
})
