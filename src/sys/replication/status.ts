/** The replication status, which needs no token. */
import { rfc3339 } from '../../core/base/clock.ts'
import type { ReplicationLag } from '../../core/kernel/background-services.ts'
import { isConsistent } from './follow/read-records.ts'
import { readFindings } from './inspect/stored-inspections.ts'
import { isReplicatedFrame, newestEntry, readLog } from './log/log-pages.ts'
import { positionOf } from './log/tree-updater.ts'
import { lostCountOf } from './lost/lost-count.ts'
import type { ReplicationContext } from './replication-context.ts'
import { headOf } from './serve/hello.ts'
import { DR } from './state/replication-kind.ts'
import type { ReplicationStatus } from './status-fields.ts'

/** The start of the year 1, in seconds relative to 1970. It means that there was no check yet. */
const NEVER = '-62135596800'

/** A peer from which no message has arrived for this long counts as disconnected. */
const SILENT_MS = 30_000

/** @param showsAddresses Whether the status of a primary contains the addresses that secondaries report. */
export async function replicationStatusOf(context: ReplicationContext, showsAddresses: boolean): Promise<ReplicationStatus> {
  const { membership } = context
  const member = await membership.current()
  if (membership.mode === 'bootstrapping') return { mode: 'bootstrapping' }
  if (!member) return { mode: 'disabled' }
  return membership.mode === 'primary' ? primaryStatus(context, showsAddresses) : secondaryStatus(context)
}

/** The number of the newest log entry in this store; undefined if the cluster is not in a set. */
export async function lastWalOf({ host, membership }: ReplicationContext): Promise<number | undefined> {
  return (await membership.current()) && newestEntry(host.store)
}

async function commonStatus(context: ReplicationContext) {
  const { host, membership, listenError } = context
  const { relation } = await membership.member()
  // Apply the log to the tree first, because the root would otherwise not include the newest records.
  await context.levelTree().catch(() => {})
  const { value: treeProgress } = await host.kind.treeProgress.read(host.store)
  return {
    cluster_id: relation.set,
    merkle_root: treeProgress?.root ?? '0'.repeat(40),
    ...(await inspectionStatus(context)),
    last_wal: await newestEntry(host.store),
    primary_cluster_addr: relation.primary_cluster_addr,
    ...(listenError ? { last_error: listenError } : {}),
  }
}

async function inspectionStatus({ host, check, reindex }: ReplicationContext) {
  const { corrupted, checked, reindexed } = await readFindings(host)
  const [checking, reindexing] = [check.progress, await reindex.progress()]
  return {
    corrupted_merkle_tree: corrupted,
    last_corruption_check_epoch: checked === undefined ? NEVER : String(Math.floor(checked / 1000)),
    last_reindex_epoch: reindexed === undefined ? '0' : String(Math.floor(reindexed / 1000)),
    ...(checking ? { merkle_check: checking } : {}),
    ...(reindexing ? { reindex: reindexing } : {}),
  }
}

async function primaryStatus(context: ReplicationContext, showsAddresses: boolean): Promise<ReplicationStatus> {
  const { host, membership, server, heartbeats, listenError, writeLease } = context
  const { relation } = await membership.member()
  const [shown, peers, heard] = [await commonStatus(context), await server.peers.load(), await heartbeats.all()]
  const ids = new Set(peers.map(({ id }) => id))
  const now = host.clock.now()
  const head = await headOf(host, relation.history)
  const lost = await lostCountOf(host)
  return {
    mode: 'primary',
    state: listenError ? 'idle' : 'running',
    ...shown,
    ...(writeLease?.error ? { last_error: writeLease.error } : {}),
    [host.kind === DR ? 'last_dr_wal' : 'last_performance_wal']: await lastSentWal(context),
    ...(lost > 0 ? { lost_writes: lost } : {}),
    known_secondaries: [...ids].sort(),
    secondaries: heard
      .filter(({ id }) => ids.has(id))
      .map(({ id, cluster_address, api_address, at, applied }) => ({
        node_id: id,
        api_address: showsAddresses ? api_address : '',
        cluster_address: showsAddresses ? cluster_address : '',
        connection_status: Math.abs(now - at) < SILENT_MS ? 'connected' : 'disconnected',
        last_heartbeat: rfc3339(at),
        lag: Math.max(0, head - applied),
      })),
  }
}

/** The index, in the set, of the newest replicated record. */
async function lastSentWal({ host, membership }: ReplicationContext): Promise<number> {
  const { relation } = await membership.member()
  const { value: treeProgress } = await host.kind.treeProgress.read(host.store)
  let last = treeProgress?.replicated ?? 0
  for (let entry = treeProgress?.entry ?? 0; ; ) {
    const frames = await readLog(host.store, entry)
    if (!frames || frames.length === 0) return last
    for (const frame of frames) {
      entry = frame.entry
      if (isReplicatedFrame(host.kind, frame)) last = positionOf(host.kind, frame, relation.history) ?? last
    }
  }
}

async function secondaryStatus(context: ReplicationContext): Promise<ReplicationStatus> {
  const { host, membership, follower, listenError } = context
  const { relation } = await membership.member()
  const { value: progress } = await host.kind.replicaProgress.read(host.store)
  const { upstream } = relation
  const { lastHello } = follower
  const addresses = upstream?.addresses ?? []
  const now = host.clock.now()
  const isConnected = lastHello !== undefined && Math.abs(now - lastHello.at) < SILENT_MS && follower.lastError === undefined
  const lastError =
    follower.lastError ??
    listenError ??
    (upstream ? undefined : 'no primary is known') ??
    faultsOf(context) ??
    hiddenMount(context)
  const applied = progress?.applied ?? 0
  return {
    mode: 'secondary',
    state: follower.state,
    ...(await commonStatus(context)),
    last_remote_wal: progress && isConsistent(progress) ? applied : 0,
    secondary_id: upstream?.id ?? '',
    known_primary_cluster_addrs: addresses,
    primaries: addresses.map((address) => ({
      api_address: upstream?.api_address ?? '',
      cluster_address: address,
      connection_status: isConnected ? 'connected' : 'disconnected',
      last_heartbeat: lastHello ? rfc3339(lastHello.at) : '',
    })),
    connection_state: isConnected ? 'ready' : upstream ? 'transient_failure' : 'shutdown',
    ...(lastHello ? { lag: Math.max(0, lastHello.primaryState.head - applied) } : {}),
    lost_writes: await lostCountOf(host, progress),
    ...(follower.progress ? { progress: follower.progress } : {}),
    ...(lastError ? { last_error: lastError } : {}),
  }
}

const faultsOf = ({ follower }: ReplicationContext): string | undefined =>
  (follower.lastHello?.primaryState.faults ?? 0) > 0
    ? 'the primary has records that do not match its Merkle tree and are therefore not copied: run merkle-check on the primary'
    : undefined

const hiddenMount = ({ internals }: ReplicationContext): string | undefined =>
  internals.topology.mounts.hidden > 0
    ? 'a mount of the primary is not served on this cluster because a local mount has the same path'
    : undefined

/** How far secondaries are behind, for the status of the kernel. Undefined if this cluster is in no set, or is about to join one. */
export async function lagOf({
  host,
  membership,
  server,
  heartbeats,
  follower,
}: ReplicationContext): Promise<ReplicationLag | undefined> {
  const kind = host.kind.name
  if (!(await membership.current())) return undefined
  const { mode } = membership
  if (mode === 'primary') {
    const { relation } = await membership.member()
    const [peers, heard, head] = await Promise.all([server.peers.load(), heartbeats.all(), headOf(host, relation.history)])
    const ids = new Set(peers.map(({ id }) => id))
    const lags = heard.filter(({ id }) => ids.has(id)).map(({ applied }) => Math.max(0, head - applied))
    return { kind, mode, ...(lags.length > 0 && { lag: Math.max(...lags) }) }
  }
  if (mode !== 'secondary') return undefined
  const { value: progress } = await host.kind.replicaProgress.read(host.store)
  const head = follower.lastHello?.primaryState.head
  return { kind, mode, ...(head !== undefined && { lag: Math.max(0, head - (progress?.applied ?? 0)) }) }
}
