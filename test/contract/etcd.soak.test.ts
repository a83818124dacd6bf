/**
 * The conformance suite for storages on an etcd cluster with three members, and on a member that allows fewer operations per transaction
 * than a commit may have.
 */
import { afterAll } from 'vitest'
import { type EtcdCluster, startEtcd } from '../fixtures/etcd/cluster.ts'
import { etcdHost } from '../fixtures/etcd/server.ts'
import { etcdConformance } from './on-etcd.ts'

let three: Promise<EtcdCluster> | undefined
afterAll(async () => (await three)?.stop())

etcdConformance('etcd, three members', async () => {
  three ??= startEtcd({ size: 3 })
  return { hosts: (await three).hosts }
})
etcdConformance('etcd with few operations in a transaction', async () => ({ hosts: await etcdHost(), maxTxnOps: 16 }))
