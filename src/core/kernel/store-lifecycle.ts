/**
 * Opens, seals and closes a store for the service that stands on it.
 */
import { RING_KEY } from '../barrier/key-ring.ts'
import { KernelError } from '../base/errors.ts'
import { SEAL_KEY } from '../seal/seal-record.ts'
import { FORMAT_KEY } from '../storage/filling.ts'
import { isOvertaken, upgradeFormat } from '../transaction/store-format.ts'
import { NOT_WATCHING, type ServiceRuntime, type StoreKeys } from './service-runtime.ts'

/** A service, as its store is opened, sealed and closed. */
export interface StoreService {
  readonly keys: StoreKeys
  /** Reads what every request needs. The records can be read, and others' commits are followed. */
  readonly load: () => Promise<void>
  /** The last step before requests are served. */
  readonly prepare: () => Promise<void>
  /** Requests are served from now on. */
  readonly opened: () => Promise<void>
  /** Forgets all that was read. */
  readonly forget: () => void
}

/**
 * Opens the store by `unlock`, follows others' commits to it, and reads what every request needs. A concurrent call joins the one under
 * way.
 */
export function openStore(foundation: ServiceRuntime, tenant: StoreService, unlock: () => Promise<void>): Promise<void> {
  foundation.opening ??= openOnce(foundation, tenant, foundation.generation, unlock).finally(() => {
    foundation.opening = undefined
  })
  return foundation.opening
}

/** @param turn The value of `foundation.turn` when this was requested: a seal or a close meanwhile wins. */
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
    // Applies changes that others made to the keys before the watch began.
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

/** Watches a store that others also write to. */
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

/** What threads have under way is done here, or not at all. */
async function closeWorkers({ host, deadline }: ServiceRuntime): Promise<void> {
  const { workers } = host.env
  if (workers) await deadline.ask({ what: 'workers.close', ask: () => workers.close(), beyondClose: true }).catch(() => {})
}

/** Reacts to changes that others make to the keys and the format, before anything older is used. Called once. */
export function followKeys(foundation: ServiceRuntime, tenant: StoreService): void {
  const { store, freshness } = foundation.host
  store.reloadRing = async () => {
    if (!(await canFollow(foundation, tenant))) throw new KernelError('ERR_SEALED', 'the kernel is sealed')
  }
  freshness.reactions.onKey(FORMAT_KEY, async () => {
    // A newer release is upgrading the store: it could not read what this process would write.
    if (await isOvertaken(store)) sealStore(foundation, tenant)
  })
  for (const key of [SEAL_KEY, RING_KEY])
    freshness.reactions.onKey(key, async () => {
      if (foundation.gate.state === 'open') await canFollow(foundation, tenant)
    })
}

/** False where this process cannot follow the keys: it is then sealed. A process sealed and opened again meanwhile has them anyway. */
async function canFollow(foundation: ServiceRuntime, tenant: StoreService): Promise<boolean> {
  const { generation: turn } = foundation
  const followed = await tenant.keys.refresh()
  if (!followed && foundation.generation === turn) sealStore(foundation, tenant)
  return followed
}

/** Seals: later requests are refused; a running one ends with the keys it holds, which are then wiped. */
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

/** @param settle Work in the store that closing ends with, where the store is open. */
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
