/** Opens, seals and closes the store of a service. */
import { RING_KEY } from '../barrier/key-ring.ts'
import { KernelError } from '../base/errors.ts'
import { SEAL_KEY } from '../seal/seal-record.ts'
import { FORMAT_KEY } from '../storage/unfinished-store.ts'
import { checkFormat, isNewerFormat, upgradeFormat } from '../transaction/store-format.ts'
import { NOT_WATCHING, type ServiceRuntime, type StoreKeys } from './service-runtime.ts'

/** The steps of opening and closing a store that the kernel and the configuration service implement differently. */
export interface StoreService {
  readonly keys: StoreKeys
  /** Reads the records that every request needs. At this point, records can be decrypted and the watch is running. */
  readonly load: () => Promise<void>
  /** Called as the last step before requests are served. */
  readonly prepare: () => Promise<void>
  /** Called once requests are served. */
  readonly opened: () => Promise<void>
  /** Discards all cached data. */
  readonly forget: () => void
}

/**
 * Unseals the store with `unlock`, starts the watch, and reads the records that every request needs. If an unseal is already running, waits
 * for that unseal instead.
 */
export function openStore(runtime: ServiceRuntime, storeService: StoreService, unlock: () => Promise<void>): Promise<void> {
  runtime.opening ??= openOnce(runtime, storeService, runtime.generation, unlock).finally(() => {
    runtime.opening = undefined
  })
  return runtime.opening
}

/**
 * @param turn The value of `runtime.generation` when the unseal was requested. If the value has changed, the store was sealed or closed in
 * the meantime, and the unseal fails.
 */
async function openOnce(
  runtime: ServiceRuntime,
  storeService: StoreService,
  turn: number,
  unlock: () => Promise<void>,
): Promise<void> {
  const { host, gate } = runtime
  const { store } = host
  const { keys } = storeService
  try {
    await checkFormat(store)
    if (!keys.open) await unlock()
    await upgradeFormat(store)
    await followStore(runtime)
    await store.commits.loadRole()
    await storeService.load()
    await keys.opened()
    await storeService.prepare()
    // Apply key changes that other processes made before this process began to watch the store.
    if (!(await keys.refresh()) || runtime.generation !== turn) throw sealedMeanwhile()
    gate.state = 'open'
    host.events.publishKernelEvent('kernel.unsealed', {})
    await storeService.opened()
  } catch (error) {
    await stopWatching(runtime)
    forgetAll(runtime, storeService)
    throw error
  }
}

const sealedMeanwhile = (): KernelError =>
  new KernelError('ERR_SEALED', 'the kernel was sealed or closed while it was being unsealed')

/** Starts the watch if other processes may write to the storage. */
async function followStore(runtime: ServiceRuntime): Promise<void> {
  const { clock, freshness, store } = runtime.host
  const asked = clock.now()
  const revision = await store.newestRevision()
  await stopWatching(runtime)
  if (store.storage.caps.shared) runtime.unwatch = await store.watch(revision, (change) => freshness.onReported(change))
  freshness.begin(revision, asked)
}

/** Ends the watch. Stops waiting for the end at the deadline. */
async function stopWatching(runtime: ServiceRuntime): Promise<void> {
  const { unwatch, deadline } = runtime
  runtime.unwatch = NOT_WATCHING
  if (unwatch !== NOT_WATCHING)
    await deadline.call({ name: 'the storage', call: () => unwatch(), beyondClose: true }).catch(() => {})
}

/** Closes the worker threads. Tasks that they are processing are completed by the event loop or abandoned. */
async function closeWorkers({ host, deadline }: ServiceRuntime): Promise<void> {
  const { workers } = host.env
  if (workers) await deadline.call({ name: 'workers.close', call: () => workers.close(), beyondClose: true }).catch(() => {})
}

/**
 * Registers functions that react when another process has changed the keys or the store format. Each function runs before this process uses
 * an outdated key or record. Must be called only once per service.
 */
export function followKeys(runtime: ServiceRuntime, storeService: StoreService): void {
  const { store, freshness } = runtime.host
  store.reloadRing = async () => {
    if (!(await canFollow(runtime, storeService))) throw new KernelError('ERR_SEALED', 'the kernel is sealed')
  }
  freshness.reactions.onKey(FORMAT_KEY, async () => {
    // A newer release is upgrading the store and could not read records that this process writes. Therefore seal this process.
    if (await isNewerFormat(store)) sealStore(runtime, storeService)
  })
  for (const key of [SEAL_KEY, RING_KEY])
    freshness.reactions.onKey(key, async () => {
      if (runtime.gate.state === 'open') await canFollow(runtime, storeService)
    })
}

/**
 * Applies the changes that other processes made to the keys. Returns false and seals this process if it cannot apply them. If the process
 * was sealed during the call, this function does not seal it: if it is open, a later unseal has already loaded the changed keys.
 */
async function canFollow(runtime: ServiceRuntime, storeService: StoreService): Promise<boolean> {
  const { generation: turn } = runtime
  const followed = await storeService.keys.refresh()
  if (!followed && runtime.generation === turn) sealStore(runtime, storeService)
  return followed
}

/**
 * Seals the store: refuses all later requests. Running requests finish with the key versions that they have pinned; those keys are wiped
 * afterwards.
 */
export function sealStore(runtime: ServiceRuntime, storeService: StoreService): void {
  runtime.generation++
  if (runtime.gate.state !== 'open') return
  runtime.gate.state = 'sealed'
  forgetAll(runtime, storeService)
  runtime.host.events.publishKernelEvent('kernel.sealed', {})
}

function forgetAll({ host }: ServiceRuntime, storeService: StoreService): void {
  storeService.forget()
  host.keys.clear()
  host.cache.clear()
  storeService.keys.forget()
  host.store.commits.forget()
}

/**
 * Closes the store.
 * @param settle Makes the last writes to the store. Called only if the store is unsealed.
 */
export async function closeStore(
  runtime: ServiceRuntime,
  storeService: StoreService,
  settle: () => Promise<void>,
): Promise<void> {
  const { gate, host, closed } = runtime
  const wasOpen = gate.state === 'open'
  runtime.generation++
  gate.state = 'closed'
  closed.abort(new TypeError('the kernel is closed'))
  const workersClosed = closeWorkers(runtime)
  await runtime.opening?.catch(() => {})
  await gate.idle()
  if (wasOpen) await settle()
  await stopWatching(runtime)
  forgetAll(runtime, storeService)
  await gate.idle()
  await workersClosed
  host.events.publishKernelEvent('kernel.closed', {})
  host.events.close()
}
