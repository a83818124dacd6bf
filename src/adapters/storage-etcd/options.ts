/**
 * What the storage is made from.
 */

import type { ConnectionOptions } from 'node:tls'
import { type OptionDuration, type OptionNames, readOptions } from '../../core/base/options.ts'

export interface EtcdStorageOptions {
  /**
   * The members of one cluster, as `https://10.0.0.1:2379` or `http://127.0.0.1:2379`; without a port 2379. Any of them serves every
   * call: the storage stays with one until it fails, then asks the next.
   */
  readonly hosts: string | readonly string[]
  /** Text in front of every key, `strongroom/` by default. At most 128 bytes. It belongs to one store. */
  readonly prefix?: string
  /** For `https`, as `tls.connect` takes it: authorities to trust, and the certificate and key of this client. */
  readonly tls?: Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'passphrase' | 'pfx' | 'servername'>
  /** A user of the cluster. The token that it gives is renewed when it ends. */
  readonly user?: string
  readonly password?: string
  /** The time limit of a call in milliseconds, retries at other members included. Default 5,000. If every member refuses the connection, a call fails at once. */
  readonly timeoutMs?: OptionDuration
  /** Once it is aborted, what is under way rejects at once, a commit that may have been sent with `OutcomeUnknown`, and so does what comes later. */
  readonly signal?: AbortSignal
  /** The cluster's `--max-txn-ops`. Default 128, as etcd's. */
  readonly maxTxnOps?: number
  /** The cluster's `--max-request-bytes`. Default 1,572,864, as etcd's. */
  readonly maxRequestBytes?: number
  /**
   * The longest value. Default: a sixth of what a request takes, 250 KB with etcd's own limit, so that a commit of several fits. At most
   * what one request takes.
   */
  readonly maxValueBytes?: number
}

/** The bytes of a request that are not its values': keys, expectations, the verdict. */
const REQUEST_RESERVE = 64 * 1024
const LONGEST_PREFIX = 128
const FEWEST_TXN_OPS = 16
const MOST_TXN_OPS = 100_000

function checkWhole(value: number, name: string, least: number, most = 2 ** 31 - 1): number {
  if (!Number.isSafeInteger(value) || value < least || value > most)
    throw new TypeError(`${name}: must be a whole number from ${least} to ${most}`)
  return value
}

function checkHost(host: unknown, secured: boolean): URL {
  const url = typeof host === 'string' && URL.canParse(host) ? new URL(host) : undefined
  const plain = url && url.pathname === '/' && !url.search && !url.hash
  if (!plain || !(url.protocol === 'http:' || url.protocol === 'https:'))
    throw new TypeError('hosts: each must be as https://10.0.0.1:2379 or http://127.0.0.1:2379')
  if (url.username || url.password) throw new TypeError('hosts: must hold no user and no password; see user and password')
  if (secured && url.protocol === 'http:') throw new TypeError('tls: is for hosts that begin with https')
  if (url.port === '' && !/:(80|443)\/?$/.test(host as string)) url.port = '2379'
  return url
}

function checkPrefix(prefix: unknown): string {
  const fits = typeof prefix === 'string' && !/\p{Surrogate}/u.test(prefix) && Buffer.byteLength(prefix) <= LONGEST_PREFIX
  if (!fits || prefix === '') throw new TypeError(`prefix: must be text of 1 to ${LONGEST_PREFIX} bytes`)
  return prefix
}

/** @throws TypeError for an option that is not as it says. */
const ETCD_OPTIONS: OptionNames<EtcdStorageOptions> = {
  hosts: 1,
  prefix: 1,
  tls: 1,
  user: 1,
  password: 1,
  timeoutMs: 1,
  signal: 1,
  maxTxnOps: 1,
  maxRequestBytes: 1,
  maxValueBytes: 1,
}

export function checkedOptions(given: EtcdStorageOptions) {
  const options = readOptions('etcdStorage', given, ETCD_OPTIONS)
  const { tls, user, password, signal } = options
  const hosts = [options.hosts].flat().map((host) => checkHost(host, tls !== undefined))
  if (hosts.length === 0) throw new TypeError('hosts: must have at least one')
  if ((user === undefined) !== (password === undefined)) throw new TypeError('user, password: one needs the other')
  if (user !== undefined && (typeof user !== 'string' || typeof password !== 'string' || user === ''))
    throw new TypeError('user, password: must be text')
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw new TypeError('signal: must be an AbortSignal')
  const maxRequestBytes = checkWhole(options.maxRequestBytes ?? 1536 * 1024, 'maxRequestBytes', 4 * REQUEST_RESERVE)
  const room = maxRequestBytes - REQUEST_RESERVE
  return {
    hosts,
    prefix: checkPrefix(options.prefix ?? 'strongroom/'),
    tls: tls ?? {},
    login: user !== undefined && password !== undefined ? { user, password } : undefined,
    signal,
    timeoutMs: checkWhole(options.timeoutMs ?? 5000, 'timeoutMs', 1),
    maxTxnOps: checkWhole(options.maxTxnOps ?? 128, 'maxTxnOps', FEWEST_TXN_OPS, MOST_TXN_OPS),
    maxRequestBytes: room,
    maxValueBytes: checkWhole(options.maxValueBytes ?? Math.floor(room / 6), 'maxValueBytes', 1024, room),
  }
}
