/**
 * Who does what is due.
 */

import { runLeaseWork } from './core/access/lease/jobs.ts'
import { runRevocation } from './core/access/token/revoke.ts'
import { KernelError } from './core/base/errors.ts'
import { APP } from './core/contract/caller.ts'
import type { DueHandler } from './core/contract/engine.ts'
import { MOUNT } from './core/contract/mount-record.ts'
import { ROOT_NAMESPACE } from './core/contract/namespace.ts'
import type { Worker } from './core/due/tick.ts'
import type { Insides } from './core/kernel/assemble.ts'
import { PURGE, purgePlace } from './core/mount/purge.ts'
import { CORE, keyOf } from './core/transaction/core-key.ts'
import type { DueEntry } from './core/transaction/due-entry.ts'
import { Place } from './core/transaction/place.ts'
import { systemJobs } from './sys/jobs.ts'

/** Work on the kernel's own records, by lane. */
const CORE_WORK: Readonly<Record<string, DueHandler>> = {
  revocation: runRevocation,
  lease: runLeaseWork,
  housekeeping: systemJobs,
}

export function workerOf(insides: Insides): (entry: DueEntry) => Worker | undefined {
  const { topology, call } = insides
  const core = topology.corePlace(ROOT_NAMESPACE)
  return ({ lane, mount: place, id }) => {
    if (place === CORE) {
      const run = CORE_WORK[lane]
      return run && { place: core, call, run }
    }
    // It is scheduled by the commit that removes the mount, which may not have been heard of here.
    if (lane === 'housekeeping' && id === PURGE) return { place: absent(insides, place), call, run: purgePlace }
    const mount = topology.mounts.byId(place)
    if (!mount) return { place: absent(insides, place), call, run: DROPPED }
    const run = mount.engine.due[lane]
    if (!run) return undefined
    const namespace = topology.namespaces.byUuid(mount.record.namespace) ?? ROOT_NAMESPACE
    return { place: mount.place, call: { ...call, caller: APP, mount: mount.record, namespace }, run }
  }
}

/** With a mount goes what was due in it. */
const DROPPED = (): void => {}

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
