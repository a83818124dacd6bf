/** Finds the worker for each due item: the function that does its work, with the keyspace and the call in which it runs. */

import { runRevocation } from './core/access/token/revoke.ts'
import { KernelError } from './core/base/errors.ts'
import type { MaybePromise } from './core/base/maybe-promise.ts'
import { APP } from './core/contract/caller.ts'
import type { AnyDueEffect, DueHandler, Engine } from './core/contract/engine.ts'
import type { Lane } from './core/contract/lane.ts'
import { ROOT_NAMESPACE } from './core/contract/namespace.ts'
import type { Call } from './core/contract/tx.ts'
import type { AnyWorker, DueWorker } from './core/due/tick.ts'
import type { KernelInternals } from './core/kernel/assemble.ts'
import type { Mount } from './core/mount/mount.ts'
import { PURGE, purgeKeyspace } from './core/mount/purge.ts'
import { mountKeys } from './core/mount/stored-mount.ts'
import { beginIntent, claimIntent } from './core/transaction/claimed-intent.ts'
import { CORE } from './core/transaction/core-key.ts'
import type { DueEntry } from './core/transaction/due-entry.ts'
import { Keyspace, type KeyspaceRules } from './core/transaction/keyspace.ts'
import { isServiceKeyspace } from './core/transaction/service-keyspaces.ts'
import type { Transaction } from './core/transaction/transaction.ts'
import { system } from './sys/index.ts'
import { systemJobs } from './sys/jobs.ts'

/** Workers for the kernel's own records, by lane. */
const CORE_WORK: Readonly<Record<string, DueHandler>> = {
  revocation: runRevocation,
  housekeeping: systemJobs,
}

type WorkHome = Pick<Mount, 'keyspace' | 'executor' | 'engine'>

/**
 * Returns a function that finds the worker of a due entry. Call it once per tick: all calls of one tick then share one `tick` object, which
 * identifies the tick.
 */
export function workerOf(internals: KernelInternals): (entry: DueEntry) => MaybePromise<AnyWorker | undefined> {
  const { topology, workers } = internals
  const call: Call = { ...internals.call, tick: {} }
  const core = topology.coreKeyspace(ROOT_NAMESPACE)
  const find = (entry: DueEntry): MaybePromise<AnyWorker | undefined> => {
    const { lane, mount: keyspaceId, id } = entry
    if (isServiceKeyspace(keyspaceId))
      return (
        workers.get(keyspaceId)?.(entry) ?? later(new Keyspace(keyspaceId, internals.host, UNKNOWN_SERVICE, true), call, lane)
      )
    if (keyspaceId === CORE) {
      const run = CORE_WORK[lane]
      return run ? records(core, call, run) : ofParts(internals, core, call, lane)
    }
    // Handle a purge before looking up the mount: the watch may not yet have reported the removal of the mount to this process.
    if (lane === 'housekeeping' && id === PURGE) return purging(internals, keyspaceId, call)
    // Unfinished effects are recovered even while the mount is being removed, as long as its records exist.
    const mount = lane === 'intent' ? topology.holder(keyspaceId) : topology.mounts.byId(keyspaceId)
    if (!mount) return { keyspace: absent(internals, keyspaceId), call, ending: 'own', run: DROPPED }
    const namespace = topology.namespaces.byUuid(mount.record.namespace) ?? ROOT_NAMESPACE
    const at: Call = { ...call, caller: APP, mount: mount.record, namespace }
    const loading = mount.engine.load?.()
    if (loading) return loading.then(() => find(entry))
    if (lane === 'intent') return unfinishedEffect(mount, at)
    const run = mount.engine.due[lane]
    if (!run) return undefined
    return typeof run === 'function' ? records(mount.keyspace, at, run) : outside(mount, at, run)
  }
  return find
}

/**
 * Returns the worker that deletes the records of a removed mount. On a secondary, replication may have created the mount again since the
 * purge was scheduled; the worker then does nothing, because the new records must not be deleted.
 */
async function purging(internals: KernelInternals, uuid: string, call: Call): Promise<DueWorker> {
  const { topology, host } = internals
  await topology.fresh()
  const again = host.store.commits.isFollower ? topology.mounts.byId(uuid) : undefined
  return again
    ? { keyspace: again.keyspace, call, run: DROPPED }
    : { keyspace: absent(internals, uuid), call, ending: 'all', run: cleared }
}

/**
 * Returns the worker for due work that an optional engine, or an optional part of `sys/`, has added to the system engine. If this kernel has
 * no such engine or part, the item is postponed until a kernel that has it finds the item.
 */
function ofParts(internals: KernelInternals, keyspace: Keyspace, call: Call, lane: Lane): MaybePromise<DueWorker> {
  const { topology, core: executor } = internals
  const engine: Engine = topology.engine(system.type) ?? system
  // Parts whose code is loaded may already do the work of the lane. The effects of all parts share one lane.
  const loading = engine.due[lane] ? undefined : engine.load?.()
  if (loading) return loading.then(() => ofParts(internals, keyspace, call, lane))
  const home = { keyspace, executor, engine }
  if (lane === 'intent') return unfinishedEffect(home, call)
  const run = engine.due[lane]
  if (run) return typeof run === 'function' ? records(keyspace, call, run) : outside(home, call, run)
  return later(keyspace, call, lane)
}

/** Postpones the item by an hour, since this kernel cannot do its work. */
const later = (keyspace: Keyspace, call: Call, lane: Lane): DueWorker =>
  records(keyspace, call, (tx, id) => tx.due(lane, id, { to: tx.now + UNKNOWN_MS }))

/** Due work that only changes records. */
const records = (keyspace: Keyspace, call: Call, run: DueHandler): DueWorker => ({
  keyspace,
  call,
  run: (tx, id) => {
    run(tx, id)
    return undefined
  },
})

/** Due work with an effect. */
const outside = ({ keyspace, executor }: WorkHome, call: Call, { effect, prepare }: AnyDueEffect): DueWorker => ({
  keyspace,
  call,
  run: (tx, id) => {
    const prepared = prepare(tx, id)
    const claimed = prepared && beginIntent(tx, effect, prepared)
    return claimed && (() => executor.effects.carryOut(claimed, call))
  },
})

/**
 * Recovery of an effect whose outcome is unknown. If this kernel does not define the effect, the item is postponed until a kernel that
 * defines the effect finds the item.
 */
const unfinishedEffect = ({ keyspace, executor, engine }: WorkHome, call: Call): DueWorker => ({
  keyspace,
  call,
  run: (tx, key) => {
    const at = key.indexOf('/')
    const effect = engine.effects?.find(({ name }) => name === key.slice(0, at))
    if (!effect) {
      tx.due('intent', key, { to: tx.now + UNKNOWN_MS })
      return undefined
    }
    const claimed = claimIntent(tx, effect, key.slice(at + 1))
    return claimed && (() => executor.effects.carryOut(claimed, call))
  },
})

const UNKNOWN_MS = 3_600_000

const cleared = (tx: Transaction): 'more' | undefined => purgeKeyspace(tx)

/** Drops the due work of a removed mount. */
const DROPPED = (): undefined => undefined

/**
 * The rules for the keyspace of a service that this kernel does not have. They need no fences, because the kernel writes to that keyspace
 * only to postpone the service's work.
 */
const UNKNOWN_SERVICE: KeyspaceRules = { fences: () => [], revalidate: async () => {} }

/**
 * The keyspace of a mount that this process does not know, usually because the mount was removed. Every commit in this keyspace verifies
 * that the mount has no record. If the mount is new, or belongs to a namespace that is being removed, its record exists; then the commit
 * fails, and the work remains due.
 */
function absent({ topology, host }: KernelInternals, uuid: string): Keyspace {
  const keys = mountKeys(uuid)
  return new Keyspace(uuid, host, {
    fences: () => keys.map((key) => ({ key, version: 0 })),
    revalidate: async () => {
      const versions = await host.store.versions(keys)
      if (versions.every((version) => version === 0)) return
      await topology.fresh()
      throw new KernelError('ERR_UNAVAILABLE', 'this process does not know the mount yet, or the mount is being removed; retry')
    },
  })
}
