/**
 * Opens, seals and closes a kernel's internals.
 */
import { RING_KEY } from '../barrier/key-ring.ts'
import { KernelError } from '../base/errors.ts'
import { decodeRecord, splitFormat } from '../contract/record-kind.ts'
import { LOG } from '../log/frame.ts'
import { ROLE_KEY } from '../log/role.ts'
import { SEAL_KEY } from '../seal/seal-record.ts'
import { FORMAT_KEY } from '../storage/filling.ts'
import { logIndex } from '../storage/port.ts'
import { becomingSecondary, type Committer } from '../transaction/committer.ts'
import { isOvertaken, upgradeFormat } from '../transaction/store-format.ts'
import { type Insides, NOT_WATCHING } from './assemble.ts'
import { CLUSTER, CLUSTER_KEY, SALT, SALT_KEY } from './first-records.ts'

/**
 * Opens the barrier by `unlock`, follows others' commits to the same store, and reads the records that every request needs. A concurrent
 * call joins the one under way.
 */
export function open(insides: Insides, unlock: () => Promise<void>): Promise<void> {
  insides.opening ??= openOnce(insides, insides.turn, unlock).finally(() => {
    insides.opening = undefined
  })
  return insides.opening
}

/** @param turn The value of `insides.turn` when this was requested: a seal or a close meanwhile wins. */
async function openOnce(insides: Insides, turn: number, unlock: () => Promise<void>): Promise<void> {
  const { store, barrier } = insides.keeper.parts
  try {
    await upgradeFormat(store, barrier.open)
    if (!barrier.open) await unlock()
    await upgradeFormat(store, true)
    await followStore(insides)
    await store.commits.loadRole()
    await insides.topology.fresh()
    if (store.commits.role.mode !== 'bootstrapping') await loadSecrets(insides)
    await insides.keeper.opened()
    await insides.audit.open()
    // Applies changes that others made to the keys before the watch began.
    if (!(await insides.keeper.refresh()) || insides.turn !== turn) throw sealedMeanwhile()
    insides.gate.state = 'open'
    insides.host.events.say('kernel.unsealed', {})
    for (const { opened } of insides.companions) await opened?.().catch(() => {})
  } catch (error) {
    await stopWatching(insides)
    forgetSecrets(insides)
    throw error
  }
}

const sealedMeanwhile = (): KernelError =>
  new KernelError('ERR_SEALED', 'the kernel was sealed or closed while it was being unsealed')

/** Reads the records that every request with a token needs. */
async function loadSecrets(insides: Insides): Promise<void> {
  const [salt, cluster] = await insides.host.store.getMany([SALT_KEY, CLUSTER_KEY])
  if (!salt || !cluster) throw new KernelError('ERR_INTERNAL', 'the store lacks records that every store has from its beginning')
  insides.salt.load(insides.host.env.crypto, splitFormat(SALT, salt.value)[1])
  salt.value.fill(0)
  insides.cluster = decodeRecord(CLUSTER, cluster.value)
}

/** What this process holds of records is forgotten: others stand in their places. */
export async function begunAnew(insides: Insides): Promise<void> {
  const { host, authority } = insides
  host.keys.clear()
  host.cache.clear()
  host.counters.forget()
  authority.forget()
  await loadSecrets(insides)
}

/** Another process has changed the role of the cluster, or this one. */
async function followRole(insides: Insides): Promise<void> {
  if (insides.gate.state !== 'open') return
  const { commits } = insides.host.store
  const before = commits.role
  const role = await commits.loadRole()
  if (role.era !== before.era && before.mode === 'bootstrapping') await begunAnew(insides)
}

/** Watches a store that others also write to. */
async function followStore(insides: Insides): Promise<void> {
  const { clock, freshness, store } = insides.host
  const asked = clock.now()
  const revision = await store.newest()
  await stopWatching(insides)
  if (store.storage.caps.shared) insides.unwatch = await store.follow(revision, (change) => freshness.told(change))
  freshness.begin(revision, asked)
}

/** A watch that does not end in time is abandoned. */
async function stopWatching(insides: Insides): Promise<void> {
  const { unwatch, deadline } = insides
  insides.unwatch = NOT_WATCHING
  if (unwatch !== NOT_WATCHING)
    await deadline.ask({ what: 'the storage', ask: () => unwatch(), beyondClose: true }).catch(() => {})
}

/** A newer release is upgrading the store: it could not read what this process would write. */
async function sealWhenOvertaken(insides: Insides): Promise<void> {
  if (await isOvertaken(insides.host.store)) seal(insides)
}

/** Called after others have rotated the ring, or sealed everybody. @throws KernelError 503 where this process is sealed now */
async function reloadRing(insides: Insides): Promise<void> {
  if (await followKeys(insides)) return
  throw new KernelError('ERR_SEALED', 'the kernel is sealed')
}

/** False where this process cannot follow the keys: it is then sealed. A process sealed and opened again meanwhile has them anyway. */
async function followKeys(insides: Insides): Promise<boolean> {
  const { turn } = insides
  const followed = await insides.keeper.refresh()
  if (!followed && insides.turn === turn) seal(insides)
  return followed
}

/** Reacts to changes that others make, before anything older is used. Called once. */
export function followOthers(insides: Insides): void {
  const { store, freshness, cache } = insides.host
  store.reloadRing = () => reloadRing(insides)
  insides.gate.barred = () => (store.commits.role.mode === 'bootstrapping' ? becomingSecondary() : undefined)
  cache.onChange(({ keys }) => noteLog(store.commits, keys))
  freshness.reactions.onKey(ROLE_KEY, () => followRole(insides))
  freshness.reactions.onKey(FORMAT_KEY, () => sealWhenOvertaken(insides))
  for (const key of [SEAL_KEY, RING_KEY])
    freshness.reactions.onKey(key, async () => {
      if (insides.gate.state === 'open') await followKeys(insides)
    })
}

function noteLog(commits: Committer, keys: readonly string[] | null): void {
  for (const key of keys ?? []) if (key.startsWith(LOG)) commits.sawEntry(logIndex(LOG, key))
}

/** Seals: later requests are refused; a running one ends with the keys it holds, which are then wiped. */
export function seal(insides: Insides): void {
  insides.turn++
  if (insides.gate.state !== 'open') return
  insides.gate.state = 'sealed'
  forgetSecrets(insides)
  insides.host.events.say('kernel.sealed', {})
}

function forgetSecrets(insides: Insides): void {
  const { host, keeper, salt, authority, audit, gate } = insides
  for (const { sealed } of insides.companions) sealed?.()
  void gate.track(audit.retire())
  host.keys.clear()
  host.cache.clear()
  keeper.parts.barrier.seal()
  keeper.sealed()
  host.store.commits.forget()
  salt.forget()
  authority.forget()
  insides.cluster = undefined
}

/** @param tellUse Stores the use count of the barrier key. */
export async function shutDown(insides: Insides, tellUse: () => Promise<unknown>): Promise<void> {
  const wasOpen = insides.gate.state === 'open'
  insides.turn++
  insides.gate.state = 'closed'
  insides.closed.abort(new TypeError('the kernel is closed'))
  await insides.opening?.catch(() => {})
  await insides.gate.idle()
  if (wasOpen) {
    // Reservations that cannot be given back count as used; a claim that cannot be released expires.
    await insides.host.counters.release().catch(() => {})
    await tellUse().catch(() => {})
    await insides.claims.release().catch(() => {})
    await insides.audit.retire()
  }
  await stopWatching(insides)
  forgetSecrets(insides)
  await insides.gate.idle()
  insides.host.events.say('kernel.closed', {})
  insides.host.events.close()
}
