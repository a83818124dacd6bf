/**
 * Processes on a cluster of three members that die, pause and lose their data under load: no acknowledged write is lost, exact reads are
 * linearizable, and cached reads are no older than their bound. One process can reach a single member only, so it fails when that member is down.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKernel } from '../../src/index.ts'
import { type Child, startChild } from '../fixtures/child.ts'
import { compiled } from '../fixtures/compiled.ts'
import { type EtcdCluster, startEtcd } from '../fixtures/etcd/cluster.ts'
import { etcdMissing, freshPrefix } from '../fixtures/etcd/server.ts'
import { cause, type Trouble } from '../fixtures/etcd/trouble.ts'
import { runs } from '../fixtures/runs.ts'
import type { StoreAt } from '../fixtures/store-at.ts'
import { TIER } from '../tiers.ts'
import { faultOf, prepare } from './history.ts'
import { HOUR, KEYS, MOUNTS, StoreProcesses, TICKER } from './store-processes.ts'
import { openStorage, SEAL } from './where.ts'
import type { ChildMessage, Event, WorkerArguments } from './worker.child.ts'

const PROCESSES = [2, 4, 8].slice(0, runs({ quick: 1, soak: 3 }))
const CALLS = runs({ quick: 600, soak: 10_000 })
const REGISTERS = runs({ quick: 6, soak: 24 })
const BOUND = 150
const HOURS = 10
const TROUBLES = (['leader killed', 'leader paused', 'follower wiped'] satisfies Trouble[]).slice(0, runs({ quick: 2, soak: 3 }))
const TIMES = { pauseMs: runs({ quick: 2500, soak: 10_000 }), downMs: runs({ quick: 500, soak: 2000 }) }
const PROGRAM = 'test/processes/worker.child.ts'

describe.skipIf(etcdMissing !== undefined)(`processes on a failing etcd cluster${etcdMissing ? ` (${etcdMissing})` : ''}`, () => {
  let cluster: EtcdCluster
  beforeAll(async () => {
    compiled(PROGRAM)
    compiled(TICKER)
    cluster = await startEtcd({ size: 3 })
  })
  afterAll(() => cluster?.stop())

  it.for(PROCESSES)(
    `read and write registers linearizably: %i processes, ${CALLS} calls each`,
    async (processes, { annotate }) => {
      const prefix = freshPrefix()
      const at = (hosts: readonly string[], timeoutMs = 10_000): StoreAt => ({ kind: 'etcd', hosts, prefix, timeoutMs })
      await prepare(at(cluster.hosts))
      const history: Event[] = []
      const children: Child[] = []
      const work = async (worker: number, begin: () => void): Promise<void> => {
        const where = worker === 1 ? at(cluster.hosts.slice(0, 1), 1000) : at(cluster.hosts)
        const more = { calls: CALLS, lanes: 4, registers: REGISTERS, bound: BOUND, troubled: true }
        const child = startChild(PROGRAM, { where, worker, deaf: false, ...more } satisfies WorkerArguments)
        for await (const said of child.messages as AsyncIterable<ChildMessage>) {
          if (said.type === 'history') history.push(...said.events)
          else if (said.type === 'open' && children.push(child) === processes) {
            begin()
            for (const child of children) child.send('go')
          }
        }
        expect(await child.ended).toBe('done')
      }
      const met = await inTrouble(cluster, (begin) =>
        Promise.all(Array.from({ length: processes }, (_, worker) => work(worker, begin))),
      )
      history.push(...(await lastReads(at(cluster.hosts))))
      for (let register = 0; register < REGISTERS; register++) expect(faultOf(history, register, BOUND)).toBeUndefined()
      expect(met.length).toBeGreaterThan(0)
      const written = history.filter(({ op }) => op.kind !== 'read' && (op.version ?? 0) > 0)
      expect(written.length).toBeGreaterThan(processes * CALLS * 0.1)
      const unknown = history.filter(({ op }) => op.version === undefined)
      const reads = history.filter(({ op }) => op.kind === 'read')
      await annotate(
        `${written.length} writes acknowledged, ${unknown.length} of unknown fate, ${reads.length} reads; ${summarize(met)}`,
      )
    },
  )

  it.runIf(TIER === 'soak')('do each item of due work only once', async ({ annotate }) => {
    const where: StoreAt = { kind: 'etcd', hosts: cluster.hosts, prefix: freshPrefix() }
    const storeProcesses = await StoreProcesses.open(where, true)
    const cutOff: StoreAt = { ...where, hosts: cluster.hosts.slice(0, 1), timeoutMs: 1000 }
    let hours = 0
    const met = await inTrouble(cluster, async (begin, met) => {
      for (const at of [where, cutOff, where, where]) await storeProcesses.start({ where: at })
      begin()
      for (let hour = 1; hour <= HOURS || met.length <= 2; hour++) {
        storeProcesses.pass(HOUR)
        // Some processes cannot complete the work that they claimed, so wait until their claims have expired.
        await storeProcesses.untilAll(hour + 1, true)
        hours = hour
      }
    })
    await storeProcesses.end()
    await annotate(`${hours * MOUNTS * KEYS} rotations; ${summarize(met)}`)
  })
})

/** How often each trouble occurred. */
const summarize = (met: readonly Trouble[]): string =>
  TROUBLES.map((trouble) => `${trouble} ${met.filter((candidate) => candidate === trouble).length} times`).join(', ')

/**
 * Causes trouble from the time when the work calls `begin` until the work is done, each kind at least once.
 * @returns The troubles that began while the work was in progress.
 */
async function inTrouble(
  cluster: EtcdCluster,
  work: (begin: () => void, met: readonly Trouble[]) => Promise<unknown>,
): Promise<readonly Trouble[]> {
  const met: Trouble[] = []
  let working = true
  let begin = (): void => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const troubles = (async () => {
    await begun
    for (let turn = 0; working || turn < TROUBLES.length; turn++) {
      const trouble = TROUBLES[turn % TROUBLES.length]!
      if (working) met.push(trouble)
      await cause(cluster, trouble, TIMES)
      await sleep(500)
    }
  })()
  // A failure is reported after the work.
  troubles.catch(() => undefined)
  await work(begin, met).finally(() => {
    working = false
    begin()
  })
  await troubles
  return met
}

/** Reads every register at the end, so that a lost acknowledged write makes the history impossible. */
async function lastReads(where: StoreAt): Promise<readonly Event[]> {
  const { storage, close } = openStorage(where)
  const kernel = await createKernel({ storage, seal: SEAL })
  const reads: Event[] = []
  for (let register = 0; register < REGISTERS; register++) {
    const start = Number(process.hrtime.bigint()) / 1e6
    const { data, metadata } = await kernel.kv2.at('registers/').readSecret({ path: `r${register}` })
    const op = {
      kind: 'read',
      version: (metadata as { version: number }).version,
      value: (data as { value: number }).value,
    } as const
    reads.push({ register, by: 'exact', op, start, end: Number(process.hrtime.bigint()) / 1e6 })
  }
  await kernel.close()
  await close()
  return reads
}
