/**
 * `strongroom/storage/etcd`: the shared storage on a cluster.
 */
export type { EtcdStorageOptions } from './options.ts'
export { type EtcdStorage, type EtcdTransaction, etcdStorage } from './storage.ts'
