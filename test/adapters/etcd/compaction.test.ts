/** A cluster that compacts a revision between two pages of a read at this revision. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type EtcdStorage, etcdStorage } from '../../../src/adapters/storage-etcd/index.ts'
import { type Answering, type Instead, startAnswering } from '../../fixtures/etcd/answering.ts'
import { etcdHost, etcdMissing, freshPrefix } from '../../fixtures/etcd/server.ts'

/** More than the first page contains. */
const MANY = 100

/** The error of etcd for a compacted revision. */
const COMPACTED: Instead = { status: 11, message: 'etcdserver: mvcc: required revision has been compacted', carriedOut: false }

describe.skipIf(etcdMissing !== undefined)(
  `a paged etcd read whose revision is compacted${etcdMissing ? ` (${etcdMissing})` : ''}`,
  () => {
    let member: Answering
    let storage: EtcdStorage
    const keys = Array.from({ length: MANY }, (_, n) => `k/${String(n).padStart(3, '0')}`)

    beforeEach(async () => {
      member = await startAnswering(await etcdHost())
      storage = etcdStorage({ hosts: member.host, prefix: freshPrefix() })
      const ops = keys.map((key) => ({ op: 'put', key, value: new Uint8Array(1) }) as const)
      expect(await storage.commit(ops, 'all')).toMatchObject({ ok: true })
    })
    afterEach(async () => {
      await storage.close()
      await member.stop()
    })

    /** Fails the second page of the next read. */
    function compactOnce(): { readonly pageCount: () => number } {
      let pages = 0
      member.instead = (path) => (path.endsWith('/Range') && ++pages === 2 ? COMPACTED : undefined)
      return { pageCount: () => pages }
    }

    it('starts again, and returns each record exactly once', async () => {
      const { pageCount } = compactOnce()
      expect((await storage.scan('k/')).map(({ key }) => key)).toEqual(keys)
      expect(pageCount()).toBeGreaterThan(3)
    })

    it('starts again, and returns each name exactly once', async () => {
      const { pageCount } = compactOnce()
      expect(await storage.list('k/')).toEqual(keys.map((key) => key.slice(2)))
      expect(pageCount()).toBeGreaterThan(3)
    })
  },
)
