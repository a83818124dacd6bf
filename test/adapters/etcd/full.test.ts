/**
 * A cluster that reports a lack of space. Etcd checks its quota before and after a transaction, so it reports the error also for a
 * transaction that it has applied. A proxy in front of a member forces either case: the member applies the request or not, and the proxy
 * returns the error.
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

/** The error of etcd for a lack of space. */
const full = (carriedOut: boolean): Instead => ({
  status: 8,
  message: 'etcdserver: mvcc: database space exceeded',
  carriedOut,
})
const SILENCE: Instead = { status: undefined, message: '', carriedOut: true }
const AWAY: Instead = { status: 14, message: 'away', carriedOut: false }
const isTxn = (path: string): boolean => path.endsWith('/Txn')

describe.skipIf(etcdMissing !== undefined)(
  `a commit to an etcd cluster that reports no space${etcdMissing ? ` (${etcdMissing})` : ''}`,
  () => {
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

    it('succeeds if the cluster has applied it', async () => {
      says(true)
      const verdict = await storage.commit([{ ...put('a'), expect: 0 }], 'a')
      expect(verdict).toEqual({ ok: true, revision: (await others.get('a'))?.version, appended: [] })
    })

    it('gets its own verdict if it shares an etcd transaction with other commits', async () => {
      says(true)
      const commits = Array.from({ length: 20 }, (_, at) => storage.commit([{ ...put(`many/${at}`), expect: 0 }], `many ${at}`))
      const verdicts = await Promise.all(commits)
      const versions = (await others.scan('many/')).map(({ version }) => version)
      const revisions = verdicts.map((verdict) => (verdict.ok ? verdict.revision : 0))
      expect(revisions.toSorted()).toEqual(versions.toSorted())
      expect(new Set(revisions.map(modifiedOf)).size).toBeLessThan(10)
    })

    it('fails with the no-space error if it conflicts, because etcd cannot store the verdict', async () => {
      await others.commit([put('there')], 'there')
      says(true)
      const refusal = await storage.commit([{ ...put('there'), expect: 0 }], 'refused').catch((error: unknown) => error)
      expect(inspect(refusal)).toContain('database space exceeded')
      member.instead = () => undefined
      expect(await storage.commit([{ ...put('there'), expect: 0 }], 'refused')).toMatchObject({ ok: false, conflict: 'there' })
    })

    it('appends its entries to a log, and the next commit appends after them', async () => {
      says(true)
      expect(await storage.commit([append, append], 'one')).toMatchObject({ ok: true, appended: [1, 2] })
      expect(await storage.commit([append], 'other')).toMatchObject({ ok: true, appended: [3] })
    })

    it('fails with the member and the reason if the cluster has not applied it', async () => {
      says(false)
      const refusal = await storage.commit([put('a')], 'a').catch((error: unknown) => error)
      expect(inspect(refusal)).toContain(`etcd at ${new URL(member.host).host}: mvcc: database space exceeded`)
      expect(await others.get('a')).toBeUndefined()
      expect(await storage.get('a')).toBeUndefined()
      member.instead = () => undefined
      expect(await storage.commit([put('a')], 'a')).toMatchObject({ ok: true })
    })

    it('succeeds if etcd has applied the unanswered first attempt, although the retry fails for lack of space', async () => {
      let attempts = 0
      member.instead = (path) => (isTxn(path) ? (++attempts === 1 ? SILENCE : full(false)) : undefined)
      const verdict = await storage.commit([{ ...put('a'), expect: 0 }], 'a')
      expect(attempts).toBeGreaterThan(1)
      expect(verdict).toEqual({ ok: true, revision: (await others.get('a'))?.version, appended: [] })
    })

    it('has an unknown outcome if the retry fails for lack of space while the unanswered first attempt can still arrive', async () => {
      let attempts = 0
      member.instead = (path) => (isTxn(path) ? (++attempts === 1 ? { ...SILENCE, carriedOut: false } : full(false)) : undefined)
      await expect(storage.commit([put('a')], 'a')).rejects.toThrow(OutcomeUnknown)
      member.instead = () => undefined
      expect(await storage.commit([put('a')], 'a')).toMatchObject({ ok: true })
    })

    it('has an unknown outcome if the cluster stops answering afterwards, but its repetition returns the verdict', async () => {
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

    it('makes a request to a kernel fail with 503 only if the cluster has not applied it', async () => {
      const kernel = await createKernel({ storage, seal: keySeal(new Uint8Array(32).fill(3)), initialize: true })
      says(true)
      await kernel.kv.writeSecret({ path: 'a', data: { n: 1 } })
      says(false)
      const refusal = await kernel.kv.writeSecret({ path: 'a', data: { n: 2 } }).catch((error: unknown) => error)
      expect(refusal).toMatchObject({ status: 503 })
      expect(inspect(refusal)).toContain('database space exceeded')
      // Reads of several records are transactions too, and a full cluster serves them.
      member.instead = () => undefined
      expect((await kernel.kv.readSecret({ path: 'a' })).data).toEqual({ n: 1 })
      await kernel.close()
    })
  },
)
