/**
 * A cluster that says that it is full. It judges that once before a transaction and once behind it, so it says so also of one that it has
 * carried out. Which of both it was is forced here: a member does what it is asked, and something in front of it answers.
 */
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type EtcdStorage, etcdStorage } from '../../../src/adapters/storage-etcd/index.ts'
import { modifiedOf } from '../../../src/adapters/storage-etcd/layout.ts'
import { createKernel, keySeal, OutcomeUnknown } from '../../../src/index.ts'
import { type Answering, type Instead, startAnswering } from '../../fixtures/etcd/answering.ts'
import { etcdHost, etcdMissing, freshPrefix } from '../../fixtures/etcd/server.ts'
import { untilReached } from '../../fixtures/until-reached.ts'

const put = (key: string) => ({ op: 'put', key, value: new Uint8Array(1) }) as const
const append = { op: 'append', log: 'log', value: new Uint8Array(1) } as const

/** As etcd tells it. */
const full = (carriedOut: boolean): Instead => ({
  status: 8,
  message: 'etcdserver: mvcc: database space exceeded',
  carriedOut,
})
const SILENCE: Instead = { status: undefined, message: '', carriedOut: true }
const AWAY: Instead = { status: 14, message: 'away', carriedOut: false }
const isTxn = (path: string): boolean => path.endsWith('/Txn')

describe.skipIf(etcdMissing !== undefined)(`a cluster that says that it is full${etcdMissing ? ` (${etcdMissing})` : ''}`, () => {
  let member: Answering
  let storage: EtcdStorage
  let others: EtcdStorage
  let prefix = ''
  const says = (carriedOut: boolean): void => {
    member.instead = (path) => (isTxn(path) ? full(carriedOut) : undefined)
  }

  beforeEach(async () => {
    const host = await etcdHost()
    prefix = freshPrefix()
    member = await startAnswering(host)
    storage = etcdStorage({ hosts: member.host, prefix, timeoutMs: 30_000 })
    others = etcdStorage({ hosts: host, prefix })
    await storage.revision()
  })
  afterEach(async () => {
    await Promise.all([storage.close(), others.close()])
    await member.stop()
  })

  it('and has carried the commit out: that is what its caller is told', async () => {
    says(true)
    const verdict = await storage.commit([{ ...put('a'), expect: 0 }], 'a')
    expect(verdict).toEqual({ ok: true, revision: (await others.get('a'))?.version, appended: [] })
  })

  it('and has carried out commits that share a transaction: each is told its own', async () => {
    says(true)
    const asked = Array.from({ length: 20 }, (_, at) => storage.commit([{ ...put(`many/${at}`), expect: 0 }], `many ${at}`))
    const verdicts = await Promise.all(asked)
    const versions = (await others.scan('many/')).map(({ version }) => version)
    const revisions = verdicts.map((one) => (one.ok ? one.revision : 0))
    expect(revisions.toSorted()).toEqual(versions.toSorted())
    expect(new Set(revisions.map(modifiedOf)).size).toBeLessThan(10)
  })

  it('and has found a conflict, which it cannot store: it is full', async () => {
    await others.commit([put('there')], 'there')
    says(true)
    const refusal = await storage.commit([{ ...put('there'), expect: 0 }], 'refused').catch((error: unknown) => error)
    expect(inspect(refusal)).toContain('database space exceeded')
    member.instead = () => undefined
    expect(await storage.commit([{ ...put('there'), expect: 0 }], 'refused')).toMatchObject({ ok: false, conflict: 'there' })
  })

  it('and has appended to a log: the next record lies behind', async () => {
    says(true)
    expect(await storage.commit([append, append], 'one')).toMatchObject({ ok: true, appended: [1, 2] })
    expect(await storage.commit([append], 'other')).toMatchObject({ ok: true, appended: [3] })
  })

  it('and has done nothing: the member and the reason are told, and the same commit may be asked for again', async () => {
    says(false)
    const refusal = await storage.commit([put('a')], 'a').catch((error: unknown) => error)
    expect(inspect(refusal)).toContain(`etcd at ${new URL(member.host).host}: mvcc: database space exceeded`)
    expect(await others.get('a')).toBeUndefined()
    expect(await storage.get('a')).toBeUndefined()
    member.instead = () => undefined
    expect(await storage.commit([put('a')], 'a')).toMatchObject({ ok: true })
  })

  it('when it is asked again, and has carried out what it did not answer: that is what its caller is told', async () => {
    let attempts = 0
    member.instead = (path) => (isTxn(path) ? (++attempts === 1 ? SILENCE : full(false)) : undefined)
    const verdict = await storage.commit([{ ...put('a'), expect: 0 }], 'a')
    expect(attempts).toBeGreaterThan(1)
    expect(verdict).toEqual({ ok: true, revision: (await others.get('a'))?.version, appended: [] })
  })

  it('when it is asked again, and nobody has carried it out yet: what becomes of the commit is not known', async () => {
    let attempts = 0
    member.instead = (path) => (isTxn(path) ? (++attempts === 1 ? { ...SILENCE, carriedOut: false } : full(false)) : undefined)
    await expect(storage.commit([put('a')], 'a')).rejects.toThrow(OutcomeUnknown)
    member.instead = () => undefined
    expect(await storage.commit([put('a')], 'a')).toMatchObject({ ok: true })
  })

  it('and then nothing more: what became of the commit is not known, and is told when it is asked for again', async () => {
    await untilReached(async (timeoutMs) => {
      let saidSo = false
      member.instead = (path) => {
        if (saidSo) return AWAY
        saidSo = isTxn(path)
        return saidSo ? full(true) : undefined
      }
      const hasty = etcdStorage({ hosts: member.host, prefix, timeoutMs })
      const error: unknown = await hasty.commit([put('a')], 'a').catch((thrown: unknown) => thrown)
      await hasty.close()
      if (saidSo) expect(error).toBeInstanceOf(OutcomeUnknown)
      return saidSo
    })
    expect(await others.commit([put('a')], 'a')).toMatchObject({ ok: true, revision: (await others.get('a'))?.version })
  })

  it('to a kernel, is no refusal where the write is there, and 503 where it is not', async () => {
    const kernel = await createKernel({ storage, seal: keySeal(new Uint8Array(32).fill(3)), initialize: true })
    says(true)
    await kernel.kv.writeSecret({ path: 'a', data: { n: 1 } })
    says(false)
    const refusal = await kernel.kv.writeSecret({ path: 'a', data: { n: 2 } }).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ status: 503 })
    expect(inspect(refusal)).toContain('database space exceeded')
    // Reads of several records are transactions, too; those a full cluster answers.
    member.instead = () => undefined
    expect((await kernel.kv.readSecret({ path: 'a' })).data).toEqual({ n: 1 })
    await kernel.close()
  })
})
