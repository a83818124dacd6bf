/** Composes a kernel from options and engines. */

import { tracer } from '#platform/tracing'
import { TOKEN_SALT } from './core/access/token/token-id.ts'
import { TOKEN_AUTHENTICATOR } from './core/access/token-authenticator.ts'
import { asServed, type DeferredEngineValue, type Engine } from './core/contract/engine.ts'
import { SECRET_CHANGES } from './core/contract/live-secrets.ts'
import { assemble, type KernelInternals } from './core/kernel/assemble.ts'
import { CONTROLS, type ReplicationSummary } from './core/kernel/controls.ts'
import { type DeferredEngine, deferredEngine } from './core/kernel/deferred-engine.ts'
import { engineWithParts } from './core/kernel/engine-with-parts.ts'
import type { InitialMount } from './core/kernel/first-records.ts'
import { followOtherProcesses } from './core/kernel/kernel-lifecycle.ts'
import { type KernelOptions, readKernelOptions } from './core/kernel/options.ts'
import { portChecksOf, portsOf } from './core/kernel/port-methods.ts'
import { Sealing } from './core/kernel/sealing.ts'
import { TOPOLOGY } from './core/mount/topology.ts'
import { checkFormat } from './core/transaction/store-format.ts'
import { type Kernel, KernelCore } from './kernel.ts'
import { withFacades } from './kernel-view.ts'
import { SYNC_CHANGES } from './sys/sync/outbox.ts'

/**
 * @internal
 * @param system The engine that serves `sys/`. It is also contained in `engines`.
 * @param late Engines, and parts of `sys/`, whose code is loaded when it is first needed.
 */
export async function composeKernel(
  given: KernelOptions,
  engines: readonly Engine[],
  system: Engine,
  mounts: readonly InitialMount[],
  late: readonly DeferredEngineValue[] = [],
): Promise<{ readonly kernel: Kernel; readonly internals: KernelInternals }> {
  const known = [...engines, ...late.map(({ manifest }) => manifest)]
  const options = readKernelOptions(
    given,
    portsOf(known),
    portChecksOf(known),
    known.flatMap(({ options: own = [] }) => own),
  )
  const { unauthenticated = {} } = options
  const served = (engine: Engine): Engine => asServed(engine, unauthenticated)
  const attachLoaded: (() => void)[] = []
  const loadLater = (value: DeferredEngineValue): DeferredEngine => {
    const engine = deferredEngine(
      value,
      (loaded) => served(attached(loaded, internals)),
      () => useLoadedCode(internals),
    )
    const attach = value.manifest.attach as AttachManifest | undefined
    if (attach) attachLoaded.push(() => attach(internals, async () => engine.load()))
    return engine
  }
  const isPart = ({ type }: DeferredEngineValue): boolean => type === system.type
  const whole = engineWithParts(served(system), late.filter(isPart).map(loadLater))
  const all = engines.map((engine) =>
    engine === system ? whole : engineWithParts(served(engine), (engine.deferredParts ?? []).map(loadLater)),
  )
  all.push(...late.filter((value) => !isPart(value)).map(loadLater))
  const internals: KernelInternals = assemble(options, all, tracer)
  const sealing = new Sealing(internals, mounts)
  install(internals, sealing)
  for (const engine of engines) attached(engine, internals)
  for (const attach of attachLoaded) attach()
  const services = servicesOf(engines, internals)
  await checkFormat(internals.host.store)
  await sealing.start(options.initialize === true)
  const { Kernel, kinds } = withFacades(KernelCore, all)
  const kernel = new Kernel(internals, sealing, kinds, whole) as Kernel
  for (const [name, value] of services) Object.defineProperty(kernel, name, { value, enumerable: false })
  return { kernel, internals }
}

type AttachManifest = (internals: KernelInternals, load: () => Promise<void>) => void

function attached(engine: Engine, internals: KernelInternals): Engine {
  const attach = engine.attach as ((internals: KernelInternals) => void) | undefined
  attach?.(internals)
  return engine
}

/** Makes the operations and background services of an engine available whose code was loaded after the kernel was created. */
function useLoadedCode({ topology, gate, backgroundServices }: KernelInternals): void {
  topology.noteLoadedCode()
  if (gate.state === 'open') void gate.track(backgroundServices.open())
}

/** @throws TypeError if two services have the same name. */
function servicesOf(engines: readonly Engine[], internals: KernelInternals): ReadonlyMap<string, object> {
  const made = new Map<string, object>()
  for (const [name, make] of engines.flatMap(({ services = {} }) => Object.entries(services))) {
    if (made.has(name)) throw new TypeError(`createKernel: engines: the name ${name} is already used on the kernel`)
    made.set(name, (make as (internals: KernelInternals) => object)(internals))
  }
  return made
}

/** Registers the kernel services under the keys by which operations find them. */
function install(internals: KernelInternals, sealing: Sealing): void {
  const { host, topology, authority, salt, gate } = internals
  followOtherProcesses(internals)
  const { env } = host
  TOPOLOGY.install(env, topology)
  SECRET_CHANGES.install(env, SYNC_CHANGES)
  TOKEN_AUTHENTICATOR.install(env, authority)
  TOKEN_SALT.install(env, salt)
  CONTROLS.install(env, {
    state: () => gate.state,
    sealing,
    cluster: () => internals.cluster,
    replication: () => replicationShown(internals),
    storage: host.store.storage.caps,
    reachable: () => host.store.guard.check(),
  })
}

async function replicationShown({ host, backgroundServices }: KernelInternals): Promise<ReplicationSummary> {
  const { mode, dr } = host.store.commits.role
  const modes = { mode, dr: dr?.mode ?? 'disabled' } as const
  for (const { lastWal } of backgroundServices) {
    // If the store does not answer, omit the index and show the role as it was last read.
    const last_wal = await lastWal?.().catch(() => undefined)
    if (last_wal !== undefined) return { ...modes, last_wal }
  }
  return modes
}
