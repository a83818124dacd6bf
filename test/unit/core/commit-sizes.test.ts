import { afterEach, describe, expect, it } from 'vitest'
import { CHAIN } from '../../../src/core/audit/records.ts'
import { withFormat } from '../../../src/core/contract/record-kind.ts'
import { internalsOf } from '../../../src/core/kernel/kernel-internals.ts'
import { MAX_COMMIT_OPS } from '../../../src/core/storage/max-commit-ops.ts'
import { createKernel, type Kernel, keySeal, memoryStorage } from '../../../src/index.ts'
import { type FakeClock, fakeClock } from '../../../src/testing/index.ts'
import { manyVersions } from '../../fixtures/backups.ts'
import { type Counted, counted } from '../../fixtures/counted-commits.ts'

const SEAL = keySeal(new Uint8Array(32).fill(3))
const HOUR = 3_600_000
const audit = { sinks: { one: () => {}, other: () => {} } }

let storage: Counted
let clock: FakeClock
let kernel: Kernel

async function begin(more: object = {}): Promise<void> {
  storage = counted(memoryStorage())
  clock = fakeClock()
  kernel = await createKernel({ storage, clock, seal: SEAL, initialize: true, ...more })
}
afterEach(() => kernel.close())

const times = async (count: number, work: (index: number) => Promise<unknown>): Promise<void> => {
  for (let index = 0; index < count; index++) await work(index)
}

async function tickToTheEnd(): Promise<void> {
  for (let round = 0; round < 100; round++) {
    const { done, failed, more } = await kernel.tick()
    expect(failed).toEqual([])
    if (done === 0 && !more) return
  }
  throw new Error('there is always something due')
}

/** The operations and background jobs that write the most records. */
type Work = () => Promise<void>

const WORKS: Readonly<Record<string, Work>> = {
  'a mount with many records is deleted': async () => {
    await kernel.mounts.createMount({ path: 'much', type: 'kv', local: true })
    await times(400, (index) => kernel.kv.at('much/').writeSecret({ path: `${index}`, data: { index } }))
    await kernel.mounts.deleteMount({ path: 'much' })
    await tickToTheEnd()
  },
  'a namespace with many mounts, tokens and policies is deleted': async () => {
    await kernel.namespaces.createNamespace({ name: 'team' })
    const team = kernel.namespace('team/')
    await times(80, (index) => team.mounts.createMount({ path: `m${index}`, type: 'database', local: index % 2 === 0 }))
    await times(80, () => team.tokens.createToken({ policies: ['default'], ttl: '20h' }))
    await times(150, (index) => team.policies.writePolicy({ name: `p${index}`, policy: 'path "a" { capabilities = ["read"] }' }))
    await kernel.namespaces.deleteNamespace({ name: 'team' })
    await tickToTheEnd()
  },
  'a token with many children, leases and secrets is revoked': async () => {
    await kernel.policies.writePolicy({ name: 'all', policy: 'path "*" { capabilities = ["create", "update", "read", "sudo"] }' })
    const top = (await kernel.tokens.createToken({ policies: ['all'] })).client_token
    const as = kernel.as(top)
    await times(80, async (index) => {
      const { client_token } = await as.tokens.createToken({ policies: ['all'], ttl: '20h' })
      if (index % 2 === 0) await kernel.as(client_token).cubbyhole.writeEntry({ path: 'x', data: { a: 1 } })
    })
    await times(150, (index) => as.cubbyhole.writeEntry({ path: `${index}`, data: { a: 1 } }))
    await kernel.tokens.revokeToken({ token: top })
    await tickToTheEnd()
  },
  'all tokens below a path are revoked': async () => {
    await times(200, () => kernel.tokens.createToken({ policies: ['default'], ttl: '20h' }))
    await kernel.leases.revokePrefix({ prefix: 'auth/token' })
    await tickToTheEnd()
  },
  'a secret with many versions is truncated, destroyed and deleted': async () => {
    await kernel.mounts.createMount({ path: 'kv2', type: 'kv', options: { version: '2' } })
    const kv = kernel.kv2.at('kv2/')
    await kv.configure({ max_versions: 1000 })
    for (const path of ['cut', 'destroyed', 'removed']) await times(300, () => kv.writeSecret({ path, data: {} }))
    await kv.writeMetadata({ path: 'cut', max_versions: 1 })
    await kv.writeSecret({ path: 'cut', data: {} })
    await kv.destroyVersions({ path: 'destroyed', versions: Array.from({ length: 300 }, (_, index) => index + 1) })
    await kv.deleteMetadata({ path: 'removed' })
    await tickToTheEnd()
  },
  'a key with many versions is restored, trimmed and deleted': async () => {
    const backup = manyVersions('aes', 600, { deletion_allowed: true })
    await kernel.transit.restoreKey({ backup })
    await kernel.transit.configureKey({ name: 'planted', min_decryption_version: 500, min_encryption_version: 500 })
    await kernel.transit.trimKey({ name: 'planted', min_available_version: 500 })
    await kernel.transit.deleteKey({ name: 'planted' })
    await clock.advance(2 * HOUR)
    await tickToTheEnd()
  },
  'many encryption counters are written back at close': async () => {
    await times(150, async (index) => {
      await kernel.transit.createKey({ name: `k${index}` })
      await kernel.transit.encrypt({ name: `k${index}`, plaintext: new Uint8Array(1) })
    })
    await kernel.close()
  },
  'all records are re-encrypted': async () => {
    await times(300, (index) => kernel.kv.writeSecret({ path: `${index}`, data: { index } }))
    await kernel.seal.rotate()
    await kernel.seal.reencrypt()
  },
  'audit chains that ended long ago are deleted': async () => {
    const { host } = internalsOf(kernel)
    for (const sink of ['one', 'other'])
      for (let chain = 0; chain < 300; chain++) {
        const key = `i/core/audit-chain/${sink}/${chain}`
        const value = CHAIN.encode({ number: 1, mac: 'x', began: chain, ended: true })
        await storage.commit([host.store.encryptedPut(key, withFormat(CHAIN.format, value), 0)], key)
      }
    await kernel.close()
    kernel = await createKernel({ storage, clock, seal: SEAL, ports: { audit } })
    expect((await storage.list('i/core/audit-chain/one/')).length).toBeLessThan(300)
  },
}

describe('every commit of the kernel', () => {
  it.each(Object.entries(WORKS))('has at most the maximum number of operations when %s', async (_, work) => {
    await begin()
    await work()
    expect(storage.most).toBeLessThanOrEqual(MAX_COMMIT_OPS)
    // The test is meaningless if the work made only small commits.
    expect(storage.most).toBeGreaterThan(20)
  })
})
