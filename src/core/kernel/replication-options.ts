/**
 * The options of replication.
 */
import { isAddressText } from '../base/address-text.ts'
import { type OptionDuration, readOptions } from '../base/options.ts'
import type { FencePort } from '../contract/fence-port.ts'

/** Who has to hold a write before it is answered. */
export interface SyncAcknowledgement {
  /**
   * So many secondaries, of either kind and without a filter that leaves something out, at most 64; or all of these, by the names that their
   * tokens were made with.
   */
  readonly sync: number | readonly string[]
  /** 1 to 600,000. Default 5,000. A write that is not acknowledged by then is `ERR_NOT_ACKNOWLEDGED`, and stays stored here. */
  readonly timeoutMs?: OptionDuration
}

/** What a cluster says of itself to others, what it keeps for them, and how its role is handed over. */
export interface ReplicationOptions {
  /**
   * Where this kernel listens for other clusters, in the words of the transport: `host:port` for TCP. Default: what the transport chooses; in
   * the network of one process the id of the cluster.
   */
  readonly clusterAddress?: string
  /** Where the cluster's service is reached. It is shown to others, and used for nothing. */
  readonly apiAddress?: string
  /** How much of what was written is kept, so that a secondary that was away goes on where it was. */
  readonly log?: {
    /** Default: 67,108,864. */
    readonly maxBytes?: number
    /** Default: 86,400,000, a day. */
    readonly maxAgeMs?: OptionDuration
  }
  /**
   * Whether a secondary may be promoted without force while its primary cannot be reached. `compat`: where it has all that it has heard of.
   * `strict`: only where the fence shows as well that the primary writes no more. Default `compat`.
   */
  readonly promotion?: 'compat' | 'strict'
  /**
   * Decides which cluster of a set may write. A primary with a fence writes for as long as it renews its right there, every 5 seconds for 15,
   * and refuses with 503 otherwise; whoever takes its place waits until that has run out. Give the same one to all clusters of the set.
   * Default: none.
   */
  readonly fence?: FencePort
  /**
   * When a write of a primary is answered: `local`, when its own store has it, or when others have it in their stores as well. Give all
   * kernels of a cluster the same, and to whoever may take its place. Default `local`.
   */
  readonly ack?: 'local' | SyncAcknowledgement
}

const MAX_ADDRESS_CHARACTERS = 256

const MAX_SYNC_SECONDARIES = 64

const MAX_NAME_CHARACTERS = 256

const MAX_TIMEOUT_MS = 600_000

const OPTION_NAMES = { clusterAddress: 1, apiAddress: 1, log: 1, promotion: 1, fence: 1, ack: 1 }

/** {@link ReplicationOptions} with durations in milliseconds. */
export interface ParsedReplicationOptions extends Omit<ReplicationOptions, 'log' | 'ack'> {
  readonly log?: { readonly maxBytes?: number; readonly maxAgeMs?: number }
  readonly ack?: 'local' | ParsedAcknowledgement
}

export interface ParsedAcknowledgement extends Pick<SyncAcknowledgement, 'sync'> {
  readonly timeoutMs?: number
}

/** @throws TypeError for invalid options. */
export function readReplication(given: ReplicationOptions | undefined): ParsedReplicationOptions {
  if (given === undefined) return {}
  const { log, ack, ...replication } = readOptions(CALLEE, given, OPTION_NAMES, 'replication.')
  for (const name of ['clusterAddress', 'apiAddress'] as const) {
    const value: unknown = replication[name]
    if (value !== undefined && !(typeof value === 'string' && value.length <= MAX_ADDRESS_CHARACTERS && isAddressText(value)))
      throw new TypeError(`createKernel: replication.${name} must be at most ${MAX_ADDRESS_CHARACTERS} characters of URLs`)
  }
  const { promotion } = replication
  if (promotion !== undefined && promotion !== 'compat' && promotion !== 'strict')
    throw new TypeError('createKernel: replication.promotion is "compat" or "strict"')
  checkFence(replication.fence)
  return {
    ...replication,
    ...(log !== undefined && { log: readLog(log) }),
    ...(ack !== undefined && { ack: ack === 'local' ? ack : readAck(ack) }),
  }
}

const CALLEE = 'createKernel'

function readLog(given: NonNullable<ReplicationOptions['log']>): NonNullable<ParsedReplicationOptions['log']> {
  const log = readOptions(CALLEE, given, { maxBytes: 1, maxAgeMs: 1 }, 'replication.log.')
  for (const value of Object.values(log))
    if (!(value === undefined || (Number.isSafeInteger(value) && value > 0)))
      throw new TypeError('createKernel: replication.log takes maxBytes and maxAgeMs, which are positive whole numbers')
  return log
}

function checkFence(fence: ReplicationOptions['fence']): void {
  if (fence === undefined) return
  for (const method of ['read', 'swap'] as const)
    if (typeof fence?.[method] !== 'function') throw new TypeError(`createKernel: replication.fence has no method ${method}`)
}

function readAck(given: SyncAcknowledgement): ParsedAcknowledgement {
  if (typeof given !== 'object' || given === null)
    throw new TypeError('createKernel: replication.ack is "local" or an object with sync')
  const ack = readOptions(CALLEE, given, { sync: 1, timeoutMs: 1 }, 'replication.ack.')
  const { sync, timeoutMs } = ack
  const isNumber = Number.isSafeInteger(sync) && Number(sync) >= 1 && Number(sync) <= MAX_SYNC_SECONDARIES
  if (!isNumber && !isIds(sync))
    throw new TypeError(
      `createKernel: replication.ack.sync is a whole number, 1 to ${MAX_SYNC_SECONDARIES}, or a list of as many different names of secondaries`,
    )
  if (timeoutMs !== undefined && !(Number.isSafeInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= MAX_TIMEOUT_MS))
    throw new TypeError(`createKernel: replication.ack.timeoutMs is a whole number of milliseconds, 1 to ${MAX_TIMEOUT_MS}`)
  return ack
}

const isIds = (sync: unknown): boolean =>
  Array.isArray(sync) &&
  sync.length >= 1 &&
  sync.length <= MAX_SYNC_SECONDARIES &&
  new Set(sync).size === sync.length &&
  sync.every((id) => typeof id === 'string' && id !== '' && id.length <= MAX_NAME_CHARACTERS)
