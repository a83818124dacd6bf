/**
 * `strongroom/storage/etcd`: the shared storage on a cluster.
 */
export type { EtcdStorageOptions } from './options.ts'
export { type EtcdStorage, etcdStorage } from './storage.ts'
export type { EtcdTransaction } from './transaction.ts'
