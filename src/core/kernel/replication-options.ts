/**
 * The options of replication.
 */
import { isAddressText } from '../base/address-text.ts'
import type { FencePort } from '../contract/fence-port.ts'

/** Who has to hold a write before it is answered. */
export interface SyncAcknowledgement {
  /**
   * So many secondaries, of either kind and without a filter that leaves something out, at most 64; or all of these, by the names that their
   * tokens were made with.
   */
  readonly sync: number | readonly string[]
  /** Milliseconds, 1 to 600,000. Default 5,000. A write that is not acknowledged by then is `ERR_NOT_ACKNOWLEDGED`, and stays stored here. */
  readonly timeout?: number
}

/** What a cluster says of itself to others, what it keeps for them, and how its role is handed over. */
export interface ReplicationOptions {
  /**
   * Where this kernel listens for other clusters, in the words of the transport: `host:port` for TCP. Default: what the transport chooses; in
   * the network of one process the id of the cluster.
   */
  readonly cluster_address?: string
  /** Where the cluster's service is reached. It is shown to others, and used for nothing. */
  readonly api_address?: string
  /** How much of what was written is kept, so that a secondary that was away goes on where it was. */
  readonly log?: {
    /** Default: 67,108,864. */
    readonly max_bytes?: number
    /** Milliseconds. Default: 86,400,000, a day. */
    readonly max_age?: number
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

const LONGEST_ADDRESS = 256

const MOST_SYNC = 64

const LONGEST_ID = 256

const LONGEST_TIMEOUT_MS = 600_000

const KNOWN = ['cluster_address', 'api_address', 'log', 'promotion', 'fence', 'ack']

/** @throws TypeError for invalid options. */
export function checkReplication(replication: ReplicationOptions | undefined): void {
  if (replication === undefined) return
  if (typeof replication !== 'object' || replication === null) throw new TypeError('createKernel: replication must be an object')
  for (const name of Object.keys(replication))
    if (!KNOWN.includes(name)) throw new TypeError(`createKernel: unknown option replication.${name}`)
  for (const name of ['cluster_address', 'api_address'] as const) {
    const value: unknown = replication[name]
    if (value !== undefined && !(typeof value === 'string' && value.length <= LONGEST_ADDRESS && isAddressText(value)))
      throw new TypeError(`createKernel: replication.${name} must be at most ${LONGEST_ADDRESS} characters of URLs`)
  }
  const { promotion } = replication
  if (promotion !== undefined && promotion !== 'compat' && promotion !== 'strict')
    throw new TypeError('createKernel: replication.promotion is "compat" or "strict"')
  checkLog(replication.log)
  checkFence(replication.fence)
  checkAck(replication.ack)
}

function checkLog(log: ReplicationOptions['log']): void {
  if (log === undefined) return
  if (typeof log !== 'object' || log === null) throw new TypeError('createKernel: replication.log must be an object')
  for (const [name, value] of Object.entries(log))
    if (!(name === 'max_bytes' || name === 'max_age') || !(value === undefined || (Number.isSafeInteger(value) && value > 0)))
      throw new TypeError('createKernel: replication.log takes max_bytes and max_age, which are positive whole numbers')
}

function checkFence(fence: ReplicationOptions['fence']): void {
  if (fence === undefined) return
  for (const method of ['read', 'swap'] as const)
    if (typeof fence?.[method] !== 'function') throw new TypeError(`createKernel: replication.fence has no method ${method}`)
}

function checkAck(ack: ReplicationOptions['ack']): void {
  if (ack === undefined || ack === 'local') return
  if (typeof ack !== 'object' || ack === null)
    throw new TypeError('createKernel: replication.ack is "local" or an object with sync')
  for (const name of Object.keys(ack))
    if (name !== 'sync' && name !== 'timeout') throw new TypeError(`createKernel: unknown option replication.ack.${name}`)
  const { sync, timeout } = ack
  const isNumber = Number.isSafeInteger(sync) && Number(sync) >= 1 && Number(sync) <= MOST_SYNC
  if (!isNumber && !isIds(sync))
    throw new TypeError(
      `createKernel: replication.ack.sync is a whole number, 1 to ${MOST_SYNC}, or a list of as many different names of secondaries`,
    )
  if (timeout !== undefined && !(Number.isSafeInteger(timeout) && timeout >= 1 && timeout <= LONGEST_TIMEOUT_MS))
    throw new TypeError(`createKernel: replication.ack.timeout is a whole number of milliseconds, 1 to ${LONGEST_TIMEOUT_MS}`)
}

const isIds = (sync: unknown): boolean =>
  Array.isArray(sync) &&
  sync.length >= 1 &&
  sync.length <= MOST_SYNC &&
  new Set(sync).size === sync.length &&
  sync.every((id) => typeof id === 'string' && id !== '' && id.length <= LONGEST_ID)
