/**
 * Who does what is due.
 */

import { runLeaseWork } from './core/access/lease/jobs.ts'
import { runRevocation } from './core/access/token/revoke.ts'
import { KernelError } from './core/base/errors.ts'
import { APP } from './core/contract/caller.ts'
import type { AnyDueEffect, DueHandler } from './core/contract/engine.ts'
import { MOUNT } from './core/contract/mount-record.ts'
import { ROOT_NAMESPACE } from './core/contract/namespace.ts'
import type { Call } from './core/contract/tx.ts'
import type { Worker } from './core/due/tick.ts'
import type { Insides } from './core/kernel/assemble.ts'
import type { Mount } from './core/mount/mount.ts'
import { PURGE, purgePlace } from './core/mount/purge.ts'
import { CORE, keyOf } from './core/transaction/core-key.ts'
import type { DueEntry } from './core/transaction/due-entry.ts'
import { takeOver, takeUp } from './core/transaction/effects.ts'
import { Place } from './core/transaction/place.ts'
import type { Transaction } from './core/transaction/transaction.ts'
import { systemJobs } from './sys/jobs.ts'

/** Work on the kernel's own records, by lane. */
const CORE_WORK: Readonly<Record<string, DueHandler>> = {
  revocation: runRevocation,
  lease: runLeaseWork,
  housekeeping: systemJobs,
}

/** Made for each tick: what it does knows of one another. */
export function workerOf(insides: Insides): (entry: DueEntry) => Worker | undefined {
  const { topology } = insides
  const call: Call = { ...insides.call, tick: {} }
  const core = topology.corePlace(ROOT_NAMESPACE)
  return ({ lane, mount: place, id }) => {
    if (place === CORE) {
      const run = CORE_WORK[lane]
      return run && records(core, call, run)
    }
    // It is scheduled by the commit that removes the mount, which may not have been heard of here.
    if (lane === 'housekeeping' && id === PURGE) return { place: absent(insides, place), call, run: cleared }
    // What was begun outside is brought to its end as long as anything of the mount is there.
    const mount = lane === 'intent' ? topology.holder(place) : topology.mounts.byId(place)
    if (!mount) return { place: absent(insides, place), call, run: DROPPED }
    const namespace = topology.namespaces.byUuid(mount.record.namespace) ?? ROOT_NAMESPACE
    const at: Call = { ...call, caller: APP, mount: mount.record, namespace }
    if (lane === 'intent') return leftOver(mount, at)
    const run = mount.engine.due[lane]
    if (!run) return undefined
    return typeof run === 'function' ? records(mount.place, at, run) : outside(mount, at, run)
  }
}

/** Work that is about records alone. */
const records = (place: Place, call: Call, run: DueHandler): Worker => ({
  place,
  call,
  run: (tx, id) => {
    run(tx, id)
    return undefined
  },
})

/** Work that is due and lies outside. */
const outside = ({ place, executor }: Mount, call: Call, { effect, prepare }: AnyDueEffect): Worker => ({
  place,
  call,
  run: (tx, id) => {
    const prepared = prepare(tx, id)
    const taken = prepared && takeUp(tx, effect, prepared)
    return taken && (() => executor.effects.carryOut(taken, call))
  },
})

/** Work outside whose end nobody knows. An effect that this kernel does not have waits for one that has it. */
const leftOver = ({ place, executor, engine }: Mount, call: Call): Worker => ({
  place,
  call,
  run: (tx, key) => {
    const at = key.indexOf('/')
    const effect = engine.effects?.find(({ name }) => name === key.slice(0, at))
    if (!effect) {
      tx.due('intent', key, { to: tx.now + UNKNOWN_MS })
      return undefined
    }
    const taken = takeOver(tx, effect, key.slice(at + 1))
    return taken && (() => executor.effects.carryOut(taken, call))
  },
})

const UNKNOWN_MS = 3_600_000

function cleared(tx: Transaction): undefined {
  purgePlace(tx)
}

/** With a mount goes what was due in it. */
const DROPPED = (): undefined => undefined

/**
 * What a mount left that is gone, as every commit makes sure: one that is not known here may be new, and one of a namespace that is being
 * removed is still there. What is due in those stays due.
 */
function absent({ topology, host }: Insides, uuid: string): Place {
  const key = keyOf(MOUNT, uuid)
  return new Place(uuid, host, {
    fences: () => [{ key, version: 0 }],
    moved: async () => {
      const [version] = await host.store.versions([key])
      if (version === 0) return
      await topology.fresh()
      throw new KernelError('ERR_UNAVAILABLE', 'the mount is not known here yet, or about to go')
    },
  })
}
