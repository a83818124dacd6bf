/** The contract of storages on a real etcd: one member, a cluster of three, and one that takes fewer operations than a commit may have. */
import { afterAll, describe, test } from 'vitest'
import { type EtcdStorage, type EtcdStorageOptions, etcdStorage } from '../../src/adapters/storage-etcd/index.ts'

import { storageConformance } from '../../src/testing/index.ts'
import { type EtcdCluster, startEtcd } from '../fixtures/etcd/cluster.ts'
import { etcdHost, etcdMissing, freshPrefix } from '../fixtures/etcd/server.ts'

/** Far more than any of it takes: hundreds of commits of one key or log are as many transactions, one after the other. */
const TIME_LIMIT = 240_000

let three: Promise<EtcdCluster> | undefined
afterAll(async () => (await three)?.stop())

const KINDS: Readonly<Record<string, () => Promise<Pick<EtcdStorageOptions, 'hosts' | 'maxTxnOps'>>>> = {
  etcd: async () => ({ hosts: await etcdHost() }),
  'etcd, three members': async () => {
    three ??= startEtcd({ size: 3 })
    return { hosts: (await three).hosts }
  },
  'etcd with few operations in a transaction': async () => ({ hosts: await etcdHost(), maxTxnOps: 16 }),
}

describe.skipIf(etcdMissing !== undefined)(`storages on etcd${etcdMissing ? ` (${etcdMissing})` : ''}`, () => {
  for (const [name, where] of Object.entries(KINDS).slice(0, process.env['SLOW'] ? undefined : 1)) {
    const prefixes = new WeakMap<object, string>()
    const openAt = async (prefix: string): Promise<EtcdStorage> => {
      const storage = etcdStorage({ ...(await where()), prefix, timeoutMs: TIME_LIMIT / 2 })
      prefixes.set(storage, prefix)
      return storage
    }
    storageConformance({
      name,
      open: () => openAt(freshPrefix()),
      reopen: (closed) => openAt(prefixes.get(closed)!),
      another: (open) => openAt(prefixes.get(open)!),
      async begin(storage) {
        const transaction = (storage as EtcdStorage).begin()
        return {
          transaction,
          commit: async () => (await transaction.commit()).ok,
          rollback: async () => transaction.rollback(),
        }
      },
      test: (name, run) => test(name, { timeout: TIME_LIMIT }, run),
    })
  }
})
