/** A secondary whose writes go to a primary in the same process, so that the work of both sides blocks it. */
import { createDevKernel, createKernel, inProcessNetwork, keySeal, memoryStorage } from '../../src/index.ts'
import { fakeDatabasePlugin } from '../../src/testing/index.ts'
import type { Case } from './operation-cases.ts'
import type { Target } from './operations-run.ts'

export async function openSecondary(): Promise<Target> {
  const ports = {
    replication: inProcessNetwork(),
    audit: { sinks: { main: () => {} } },
    databases: { a: fakeDatabasePlugin() },
  }
  const primary = await createDevKernel({ ports })
  await primary.mounts.createMount({ path: 'kv2/', type: 'kv', options: { version: '2' } })
  await primary.replication.enablePrimary()
  const { wrap_info } = await primary.replication.createSecondaryToken({ id: 'one' })
  const secondary = await createKernel({
    storage: memoryStorage(),
    seal: keySeal(new Uint8Array(32).fill(2)),
    initialize: true,
    ports,
  })
  await secondary.replication.enableSecondary({ token: wrap_info?.token ?? '' })
  await secondary.tick()
  return {
    kernel: secondary,
    async close() {
      await secondary.close()
      await primary.close()
    },
  }
}

/** Requests that the secondary forwards. */
export const isForwarded = ({ operation, path }: Case): boolean =>
  operation.forwardable === true && !/wrapping_key|rsa/.test(path)
