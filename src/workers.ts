/**
 * Who does what is due. Room: composition root. Imported by kernel.ts.
 */
import { APP } from './core/auth/caller.ts'
import { runRevocation } from './core/auth/token/revoke.ts'
import type { DueEntry } from './core/due/entry.ts'
import type { Worker } from './core/due/tick.ts'
import type { Insides } from './core/lifecycle.ts'
import type { DueHandler } from './core/mount/engine.ts'
import { PURGE, purgePlace } from './core/mount/purge.ts'
import { CORE } from './core/mount/topology.ts'
import { ROOT_NAMESPACE } from './core/namespace/namespace.ts'
import { Place } from './core/transaction/host.ts'
import { systemJobs } from './sys/jobs.ts'

/** Work on the kernel's own records, by lane. */
const CORE_WORK: Readonly<Record<string, DueHandler>> = { revocation: runRevocation, housekeeping: systemJobs }

export function workerOf({ topology, host, call }: Insides): (entry: DueEntry) => Worker | undefined {
  const core = topology.corePlace(ROOT_NAMESPACE)
  return ({ lane, mount: place, id }) => {
    if (place === CORE) {
      const run = CORE_WORK[lane]
      return run && { place: core, call, run }
    }
    const mount = topology.mounts.byId(place)
    const run = mount?.engine.due[lane]
    if (mount && run) {
      const namespace = topology.namespaces.byUuid(mount.record.namespace) ?? ROOT_NAMESPACE
      return { place: mount.place, call: { ...call, caller: APP, mount: mount.record, namespace }, run }
    }
    // A mount that is gone: what it kept is cleared away, everything else that was due in it is dropped.
    return !mount && id === PURGE ? { place: new Place(place, host, UNFENCED), call, run: purgePlace } : undefined
  }
}

const UNFENCED = { fences: () => [], moved: async () => {} }
