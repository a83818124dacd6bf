import { isAddressText } from '../base/address-text.ts'
import { type OptionDuration, readOptions } from '../base/options.ts'
import type { FencePort } from '../contract/fence-port.ts'

/** Specifies the secondaries that must have stored a write before the write is acknowledged. */
export interface SyncAcknowledgement {
  /**
   * Either a number of secondaries, 1 to 64, or a list of secondaries that must all store the write, by the names in their activation
   * tokens. With a number, any performance or DR secondary counts, unless its path filter omits something.
   */
  readonly sync: number | readonly string[]
  /**
   * The time limit in milliseconds, 1 to 600,000. Default 5,000. A write that is not acknowledged in time fails with
   * `ERR_NOT_ACKNOWLEDGED`, but remains stored on this cluster.
   */
  readonly timeoutMs?: OptionDuration
}

/** How a cluster takes part in replication: addresses, log size, promotion and acknowledgement. */
export interface ReplicationOptions {
  /**
   * The address on which this kernel listens for other clusters, in the syntax of the transport, such as `host:port` for TCP. Default: an
   * address that the transport chooses; with the in-process network, the cluster's id.
   */
  readonly clusterAddress?: string
  /** The address of the cluster's API. This cluster does not use the address itself, but shows it to other clusters. */
  readonly apiAddress?: string
  /**
   * The limits of the replication log. A secondary that was disconnected continues from the log if the log still contains all entries that
   * the secondary lacks.
   */
  readonly log?: {
    /** The maximum size in bytes. Default: 67,108,864. */
    readonly maxBytes?: number
    /** The maximum age of entries in milliseconds. Default: 86,400,000, which is one day. */
    readonly maxAgeMs?: OptionDuration
  }
  /**
   * When a secondary may be promoted without force while its primary cannot be reached. `compat`: if the secondary has applied every log
   * entry that it knows of. `strict`: if, in addition, the register in the option `fence` proves that the primary has stopped writing.
   * Default `compat`.
   */
  readonly promotion?: 'compat' | 'strict'
  /**
   * The register that decides which cluster of a set may write. A primary with a fence may write only while it has a write lease from the
   * register; otherwise writes fail with 503. A write lease lasts 15 seconds and is renewed every 5 seconds. A cluster that is promoted
   * waits until the former primary's write lease has ended. Give the same fence to all clusters of the set. Default: none.
   */
  readonly fence?: FencePort
  /**
   * When a primary acknowledges a write. `local`: as soon as its own store has the write. Otherwise: as soon as, in addition, the specified
   * secondaries have stored it. Give the same value to all kernels of the cluster, and to clusters that may be promoted. Default `local`.
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
export function readReplication(given: ReplicationOptions): ParsedReplicationOptions {
  const { log, ack, ...replication } = readOptions(CALLEE, given, OPTION_NAMES, 'replication.')
  for (const name of ['clusterAddress', 'apiAddress'] as const) {
    const value: unknown = replication[name]
    if (value !== undefined && !(typeof value === 'string' && value.length <= MAX_ADDRESS_CHARACTERS && isAddressText(value)))
      throw new TypeError(
        `createKernel: replication.${name} must be at most ${MAX_ADDRESS_CHARACTERS} characters that are valid in URLs`,
      )
  }
  const { promotion } = replication
  if (promotion !== undefined && promotion !== 'compat' && promotion !== 'strict')
    throw new TypeError('createKernel: replication.promotion must be "compat" or "strict"')
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
      throw new TypeError('createKernel: replication.log.maxBytes and replication.log.maxAgeMs must be positive whole numbers')
  return log
}

function checkFence(fence: ReplicationOptions['fence']): void {
  if (fence === undefined) return
  for (const method of ['read', 'swap'] as const)
    if (typeof fence?.[method] !== 'function') throw new TypeError(`createKernel: replication.fence has no method ${method}`)
}

function readAck(given: SyncAcknowledgement): ParsedAcknowledgement {
  if (typeof given !== 'object' || given === null)
    throw new TypeError('createKernel: replication.ack must be "local" or an object with sync')
  const ack = readOptions(CALLEE, given, { sync: 1, timeoutMs: 1 }, 'replication.ack.')
  const { sync, timeoutMs } = ack
  const isNumber = Number.isSafeInteger(sync) && Number(sync) >= 1 && Number(sync) <= MAX_SYNC_SECONDARIES
  if (!isNumber && !isIds(sync))
    throw new TypeError(
      `createKernel: replication.ack.sync must be a whole number, 1 to ${MAX_SYNC_SECONDARIES}, or a list of 1 to ${MAX_SYNC_SECONDARIES} different names of secondaries`,
    )
  if (timeoutMs !== undefined && !(Number.isSafeInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= MAX_TIMEOUT_MS))
    throw new TypeError(`createKernel: replication.ack.timeoutMs must be a whole number of milliseconds, 1 to ${MAX_TIMEOUT_MS}`)
  return ack
}

const isIds = (sync: unknown): boolean =>
  Array.isArray(sync) &&
  sync.length >= 1 &&
  sync.length <= MAX_SYNC_SECONDARIES &&
  new Set(sync).size === sync.length &&
  sync.every((id) => typeof id === 'string' && id !== '' && id.length <= MAX_NAME_CHARACTERS)
