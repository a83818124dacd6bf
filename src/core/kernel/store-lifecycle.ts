/** Opens, seals and closes a store on behalf of a service. */
import { RING_KEY } from '../barrier/key-ring.ts'
import { KernelError } from '../base/errors.ts'
import { SEAL_KEY } from '../seal/seal-record.ts'
import { FORMAT_KEY } from '../storage/filling.ts'
import { isOvertaken, upgradeFormat } from '../transaction/store-format.ts'
import { NOT_WATCHING, type ServiceRuntime, type StoreKeys } from './service-runtime.ts'

/** How a service takes part in opening and closing its store. */
export interface StoreService {
  readonly keys: StoreKeys
  /** Reads the records that every request needs. At this point records can be decrypted and the watch is running. */
  readonly load: () => Promise<void>
  /** The last step before requests are served. */
  readonly prepare: () => Promise<void>
  /** Called when requests are served. */
  readonly opened: () => Promise<void>
  /** Discards everything that was read. */
  readonly forget: () => void
}

/**
 * Unlocks the store by `unlock`, starts the watch, and reads the records that every request needs. A concurrent call joins the running one.
 */
export function openStore(foundation: ServiceRuntime, tenant: StoreService, unlock: () => Promise<void>): Promise<void> {
  foundation.opening ??= openOnce(foundation, tenant, foundation.generation, unlock).finally(() => {
    foundation.opening = undefined
  })
  return foundation.opening
}

/** @param turn The value of `foundation.generation` at the request. A seal or close in the meantime takes precedence. */
async function openOnce(
  foundation: ServiceRuntime,
  tenant: StoreService,
  turn: number,
  unlock: () => Promise<void>,
): Promise<void> {
  const { host, gate } = foundation
  const { store } = host
  const { keys } = tenant
  try {
    await upgradeFormat(store, keys.open)
    if (!keys.open) await unlock()
    await upgradeFormat(store, true)
    await followStore(foundation)
    await store.commits.loadRole()
    await tenant.load()
    await keys.opened()
    await tenant.prepare()
    // Apply changes of the keys that other processes made before the watch began.
    if (!(await keys.refresh()) || foundation.generation !== turn) throw sealedMeanwhile()
    gate.state = 'open'
    host.events.say('kernel.unsealed', {})
    await tenant.opened()
  } catch (error) {
    await stopWatching(foundation)
    forgetAll(foundation, tenant)
    throw error
  }
}

const sealedMeanwhile = (): KernelError =>
  new KernelError('ERR_SEALED', 'the kernel was sealed or closed while it was being unsealed')

/** Watches a shared storage. */
async function followStore(foundation: ServiceRuntime): Promise<void> {
  const { clock, freshness, store } = foundation.host
  const asked = clock.now()
  const revision = await store.newest()
  await stopWatching(foundation)
  if (store.storage.caps.shared) foundation.unwatch = await store.follow(revision, (change) => freshness.told(change))
  freshness.begin(revision, asked)
}

/** A watch that does not end in time is abandoned. */
async function stopWatching(foundation: ServiceRuntime): Promise<void> {
  const { unwatch, deadline } = foundation
  foundation.unwatch = NOT_WATCHING
  if (unwatch !== NOT_WATCHING)
    await deadline.ask({ what: 'the storage', ask: () => unwatch(), beyondClose: true }).catch(() => {})
}

/** Orders that threads are processing are done on the event loop, or not at all. */
async function closeWorkers({ host, deadline }: ServiceRuntime): Promise<void> {
  const { workers } = host.env
  if (workers) await deadline.ask({ what: 'workers.close', ask: () => workers.close(), beyondClose: true }).catch(() => {})
}

/**
 * Registers reactions to changes of the keys and of the store format by other processes. They run before anything older is used. Called
 * once.
 */
export function followKeys(foundation: ServiceRuntime, tenant: StoreService): void {
  const { store, freshness } = foundation.host
  store.reloadRing = async () => {
    if (!(await canFollow(foundation, tenant))) throw new KernelError('ERR_SEALED', 'the kernel is sealed')
  }
  freshness.reactions.onKey(FORMAT_KEY, async () => {
    // A newer release is upgrading the store. It could not read what this process would write.
    if (await isOvertaken(store)) sealStore(foundation, tenant)
  })
  for (const key of [SEAL_KEY, RING_KEY])
    freshness.reactions.onKey(key, async () => {
      if (foundation.gate.state === 'open') await canFollow(foundation, tenant)
    })
}

/**
 * Returns false if this process cannot apply changed keys; it is then sealed. If it was sealed and opened again in the meantime, it has the
 * keys anyway.
 */
async function canFollow(foundation: ServiceRuntime, tenant: StoreService): Promise<boolean> {
  const { generation: turn } = foundation
  const followed = await tenant.keys.refresh()
  if (!followed && foundation.generation === turn) sealStore(foundation, tenant)
  return followed
}

/** Refuses later requests. Running requests finish with the key versions that they have pinned, which are wiped afterwards. */
export function sealStore(foundation: ServiceRuntime, tenant: StoreService): void {
  foundation.generation++
  if (foundation.gate.state !== 'open') return
  foundation.gate.state = 'sealed'
  forgetAll(foundation, tenant)
  foundation.host.events.say('kernel.sealed', {})
}

function forgetAll({ host }: ServiceRuntime, tenant: StoreService): void {
  tenant.forget()
  host.keys.clear()
  host.cache.clear()
  tenant.keys.forget()
  host.store.commits.forget()
}

/** @param settle The last work in the store, if it is open. */
export async function closeStore(foundation: ServiceRuntime, tenant: StoreService, settle: () => Promise<void>): Promise<void> {
  const { gate, host, closed } = foundation
  const wasOpen = gate.state === 'open'
  foundation.generation++
  gate.state = 'closed'
  closed.abort(new TypeError('the kernel is closed'))
  const workersClosed = closeWorkers(foundation)
  await foundation.opening?.catch(() => {})
  await gate.idle()
  if (wasOpen) await settle()
  await stopWatching(foundation)
  forgetAll(foundation, tenant)
  await gate.idle()
  await workersClosed
  host.events.say('kernel.closed', {})
  host.events.close()
}
