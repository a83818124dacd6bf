/** The conformance suite for storages on the etcd member that all test files of a run share. */
import { beforeAll } from 'vitest'
import { etcdHost, etcdMissing } from '../fixtures/etcd/server.ts'
import { SERVER_START_MS } from '../fixtures/servers/once.ts'
import { etcdConformance } from './on-etcd.ts'

beforeAll(async () => {
  if (etcdMissing === undefined) await etcdHost()
}, SERVER_START_MS)

etcdConformance('etcd', async () => ({ hosts: await etcdHost() }))
