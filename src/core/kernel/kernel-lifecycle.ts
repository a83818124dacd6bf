/** Opens, seals and closes a kernel. */

import { KernelError } from '../base/errors.ts'
import { decodeRecord, splitFormat } from '../contract/record-kind.ts'
import { LOG } from '../log/frame.ts'
import { isBecomingSecondary, isMirror, ROLE_KEY, type Role } from '../log/role.ts'
import { logIndex } from '../storage/port.ts'
import { type Committer, mirrorRefusal } from '../transaction/committer.ts'
import type { KernelInternals } from './assemble.ts'
import { CLUSTER, CLUSTER_KEY, SALT, SALT_KEY } from './first-records.ts'
import { storeKeysOf } from './store-keys.ts'
import { closeStore, followKeys, openStore, type StoreService, sealStore } from './store-lifecycle.ts'

const storeServices = new WeakMap<KernelInternals, StoreService>()

/** Describes the kernel to the functions that open and close its store. */
function storeServiceOf(insides: KernelInternals): StoreService {
  const known = storeServices.get(insides)
  if (known) return known
  const { host, topology, audit, keeper, backgroundServices: companions } = insides
  const tenant: StoreService = {
    keys: storeKeysOf(keeper),
    async load() {
      await topology.fresh()
      if (!isBecomingSecondary(host.store.commits.role)) await loadSecrets(insides)
    },
    prepare: () => audit.open(),
    async opened() {
      for (const { opened } of companions) await opened?.().catch(() => {})
    },
    forget() {
      for (const { sealed } of companions) sealed?.()
      void insides.gate.track(audit.retire())
      insides.salt.forget()
      insides.authority.forget()
      insides.cluster = undefined
    },
  }
  storeServices.set(insides, tenant)
  return tenant
}

/** A concurrent call joins the running one. */
export const openKernel = (insides: KernelInternals, unlock: () => Promise<void>): Promise<void> =>
  openStore(insides, storeServiceOf(insides), unlock)

/** Refuses later requests. Running requests finish with the key versions that they have pinned, which are wiped afterwards. */
export const sealKernel = (insides: KernelInternals): void => sealStore(insides, storeServiceOf(insides))

/** Reads the records that every request with a token needs. */
async function loadSecrets(insides: KernelInternals): Promise<void> {
  const [salt, cluster] = await insides.host.store.getMany([SALT_KEY, CLUSTER_KEY])
  if (!salt || !cluster) throw new KernelError('ERR_INTERNAL', 'the store lacks records that every initialized store has')
  insides.salt.load(insides.host.env.crypto, splitFormat(SALT, salt.value)[1])
  salt.value.fill(0)
  insides.cluster = decodeRecord(CLUSTER, cluster.value)
}

/** Discards all cached records after the role changed, because others have replaced them. */
export async function discardCachedState(insides: KernelInternals): Promise<void> {
  const { host, authority } = insides
  host.keys.clear()
  host.cache.clear()
  host.counters.forget()
  authority.forget()
  await loadSecrets(insides)
}

/** Reacts to a change of the cluster's role, by this process or another one. */
async function followRole(insides: KernelInternals): Promise<void> {
  if (insides.gate.state !== 'open') return
  const { commits } = insides.host.store
  const before = commits.role
  const role = await commits.loadRole()
  if (role.era !== before.era && answersNoRequests(before) !== answersNoRequests(role)) await discardCachedState(insides)
}

/** When this changes with the role, all cached records are outdated. */
const answersNoRequests = (role: Role): boolean => isMirror(role) || isBecomingSecondary(role)

/** A DR secondary has received the primary's token salt, so tokens have other ids from now on. */
async function followSalt(insides: KernelInternals): Promise<void> {
  if (insides.gate.state !== 'open' || !isMirror(insides.host.store.commits.role)) return
  insides.authority.forget()
  await loadSecrets(insides)
}

/** Registers reactions to changes by other processes. They run before anything older is used. Called once. */
export function followOtherProcesses(insides: KernelInternals): void {
  const { store, freshness, cache } = insides.host
  followKeys(insides, storeServiceOf(insides))
  insides.gate.barred = (onMirror, whileJoining) => {
    const { role } = store.commits
    const serves = isBecomingSecondary(role) ? whileJoining : onMirror || !isMirror(role)
    return serves ? undefined : mirrorRefusal(role)
  }
  cache.onChange(({ keys }) => noteLog(store.commits, keys))
  freshness.reactions.onKey(ROLE_KEY, () => followRole(insides))
  freshness.reactions.onKey(SALT_KEY, () => followSalt(insides))
}

function noteLog(commits: Committer, keys: readonly string[] | null): void {
  for (const key of keys ?? []) if (key.startsWith(LOG)) commits.sawEntry(logIndex(LOG, key))
}

/** @param tellUse Stores the use count of the barrier key. */
export const closeKernel = (insides: KernelInternals, tellUse: () => Promise<unknown>): Promise<void> =>
  closeStore(insides, storeServiceOf(insides), async () => {
    // Reservations that cannot be returned count as used. A claim that cannot be released expires.
    await insides.host.counters.release().catch(() => {})
    await tellUse().catch(() => {})
    await insides.claims.release().catch(() => {})
    await insides.audit.retire()
  })
