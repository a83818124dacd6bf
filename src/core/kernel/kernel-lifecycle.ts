/** Opens, seals and closes a kernel. */

import { KernelError } from '../base/errors.ts'
import { decodeRecord, splitFormat } from '../contract/record-kind.ts'
import { LOG } from '../log/frame.ts'
import { isBecomingSecondary, isMirror, ROLE_KEY, type Role } from '../log/role.ts'
import { logIndex } from '../storage/port.ts'
import { type Committer, notServingError } from '../transaction/committer.ts'
import type { KernelInternals } from './assemble.ts'
import { CLUSTER, CLUSTER_KEY, SALT, SALT_KEY } from './first-records.ts'
import { storeKeysOf } from './store-keys.ts'
import { closeStore, followKeys, openStore, type StoreService, sealStore } from './store-lifecycle.ts'

const storeServices = new WeakMap<KernelInternals, StoreService>()

/** Implements the steps of opening and closing a store that are specific to a kernel. */
function storeServiceOf(internals: KernelInternals): StoreService {
  const known = storeServices.get(internals)
  if (known) return known
  const { host, topology, audit, keeper, backgroundServices } = internals
  const storeService: StoreService = {
    keys: storeKeysOf(keeper),
    async load() {
      await topology.fresh()
      if (!isBecomingSecondary(host.store.commits.role)) await loadSecrets(internals)
    },
    prepare: () => audit.open(),
    opened: () => backgroundServices.open(),
    forget() {
      backgroundServices.seal()
      void internals.gate.track(audit.retire())
      internals.salt.forget()
      internals.authority.forget()
      internals.cluster = undefined
    },
  }
  storeServices.set(internals, storeService)
  return storeService
}

/** Unseals the kernel with `unlock`. If an unseal is already running, waits for that unseal instead. */
export const openKernel = (internals: KernelInternals, unlock: () => Promise<void>): Promise<void> =>
  openStore(internals, storeServiceOf(internals), unlock)

/**
 * Seals the kernel, which refuses all later requests. Running requests finish with the key versions that they have pinned; those keys are
 * wiped afterwards.
 */
export const sealKernel = (internals: KernelInternals): void => sealStore(internals, storeServiceOf(internals))

/** Reads the records that every request with a token needs. */
async function loadSecrets(internals: KernelInternals): Promise<void> {
  const [salt, cluster] = await internals.host.store.getMany([SALT_KEY, CLUSTER_KEY])
  if (!salt || !cluster) throw new KernelError('ERR_INTERNAL', 'the store lacks records that every initialized store has')
  internals.salt.load(internals.host.env.crypto, splitFormat(SALT, salt.value)[1])
  salt.value.fill(0)
  internals.cluster = decodeRecord(CLUSTER, cluster.value)
}

/** Discards all cached records after the cluster has changed its role, because records from another cluster have replaced them. */
export async function discardCachedState(internals: KernelInternals): Promise<void> {
  const { host, authority } = internals
  host.keys.clear()
  host.cache.clear()
  host.counters.forget()
  authority.forget()
  await loadSecrets(internals)
}

/** Reads the cluster's role after this process or another process has changed it. */
async function followRole(internals: KernelInternals): Promise<void> {
  if (internals.gate.state !== 'open') return
  const { commits } = internals.host.store
  const before = commits.role
  const role = await commits.loadRole()
  if (role.era !== before.era && answersNoRequests(before) !== answersNoRequests(role)) await discardCachedState(internals)
}

/**
 * Whether a cluster with this role answers no requests. Such a cluster receives its records from another cluster, so all cached records are
 * outdated when the cluster begins or ceases to have such a role.
 */
const answersNoRequests = (role: Role): boolean => isMirror(role) || isBecomingSecondary(role)

/**
 * Loads the token salt that a DR secondary has received from its primary. Token ids are hashes that include the salt, so tokens that were
 * cached under the old salt are discarded.
 */
async function followSalt(internals: KernelInternals): Promise<void> {
  if (internals.gate.state !== 'open' || !isMirror(internals.host.store.commits.role)) return
  internals.authority.forget()
  await loadSecrets(internals)
}

/**
 * Registers functions that apply changes by other processes. Each function runs before this process uses outdated records or keys. Must be
 * called only once per kernel.
 */
export function followOtherProcesses(internals: KernelInternals): void {
  const { store, freshness, cache } = internals.host
  followKeys(internals, storeServiceOf(internals))
  internals.gate.refusalFor = (onMirror, whileJoining) => {
    const { role } = store.commits
    const serves = isBecomingSecondary(role) ? whileJoining : onMirror || !isMirror(role)
    return serves ? undefined : notServingError(role)
  }
  cache.onChange(({ keys }) => noteLog(store.commits, keys))
  freshness.reactions.onKey(ROLE_KEY, () => followRole(internals))
  freshness.reactions.onKey(SALT_KEY, () => followSalt(internals))
}

function noteLog(commits: Committer, keys: readonly string[] | null): void {
  for (const key of keys ?? []) if (key.startsWith(LOG)) commits.noteEntry(logIndex(LOG, key))
}

/** @param reportUse Stores the use count of the barrier key. */
export const closeKernel = (internals: KernelInternals, reportUse: () => Promise<unknown>): Promise<void> =>
  closeStore(internals, storeServiceOf(internals), async () => {
    // Ignore errors. Reservations that cannot be returned count as used, and a claim that cannot be released expires on its own.
    await internals.host.counters.release().catch(() => {})
    await reportUse().catch(() => {})
    await internals.claims.release().catch(() => {})
    await internals.audit.retire()
  })
