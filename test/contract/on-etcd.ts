/** The conformance suite for storages on a real etcd. */
import { describe, test } from 'vitest'
import { type EtcdStorage, type EtcdStorageOptions, etcdStorage } from '../../src/adapters/storage-etcd/index.ts'
import { storageConformance } from '../../src/testing/index.ts'
import { etcdMissing, freshPrefix } from '../fixtures/etcd/server.ts'

/** Much longer than one call takes, because the suite sends hundreds of commits to one key or log, which run one after another. */
const CALL_MS = 120_000

/** Registers the cases of the suite. `where` starts the members or finds running ones. */
export function etcdConformance(name: string, where: () => Promise<Pick<EtcdStorageOptions, 'hosts' | 'maxTxnOps'>>): void {
  describe.skipIf(etcdMissing !== undefined)(`storages on etcd${etcdMissing ? ` (${etcdMissing})` : ''}`, () => {
    const prefixes = new WeakMap<object, string>()
    const openAt = async (prefix: string): Promise<EtcdStorage> => {
      const storage = etcdStorage({ ...(await where()), prefix, timeoutMs: CALL_MS })
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
      test: (title, run) => test(title, { timeout: 2 * CALL_MS }, run),
    })
  })
}
