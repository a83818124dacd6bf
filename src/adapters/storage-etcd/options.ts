import type { ConnectionOptions } from 'node:tls'
import { type OptionDuration, type OptionNames, readOptions } from '../../core/base/options.ts'

export interface EtcdStorageOptions {
  /**
   * The members of one cluster, such as `https://10.0.0.1:2379` or `http://127.0.0.1:2379`; the default port is 2379. Every member can
   * serve every call. The storage uses one member until it fails, and then the next.
   */
  readonly hosts: string | readonly string[]
  /** The prefix of every key: at most 128 bytes, `strongroom/` by default. No other store or program may use it. */
  readonly prefix?: string
  /** Options of `tls.connect` for `https` hosts: trusted certificate authorities, and the certificate and key of this client. */
  readonly tls?: Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'passphrase' | 'pfx' | 'servername'>
  /** A user of the cluster. When the user's token expires, the storage requests a new one. */
  readonly user?: string
  readonly password?: string
  /**
   * The time limit of a call in milliseconds, including retries at other members. Default 5,000. If every member refuses the connection, a
   * call fails immediately.
   */
  readonly timeoutMs?: OptionDuration
  /**
   * When the signal is aborted, calls in flight and later calls reject immediately. A commit that may have been sent rejects with
   * `OutcomeUnknown`.
   */
  readonly signal?: AbortSignal
  /** The cluster's `--max-txn-ops`. Default 128, as in etcd. */
  readonly maxTxnOps?: number
  /** The cluster's `--max-request-bytes`. Default 1,572,864, as in etcd. */
  readonly maxRequestBytes?: number
  /**
   * The maximum size of a value in bytes. Default: a sixth of what fits into one request, about 250 KB with etcd's default, so that a
   * commit can contain several such values. Maximum: what fits into one request.
   */
  readonly maxValueBytes?: number
}

/** The bytes of a request that are reserved for everything except values: keys, expectations and the verdict. */
const REQUEST_RESERVE = 64 * 1024
const MAX_PREFIX_BYTES = 128
const MIN_TXN_OPS = 16
const MAX_TXN_OPS = 100_000

function checkWhole(value: number, name: string, least: number, most = 2 ** 31 - 1): number {
  if (!Number.isSafeInteger(value) || value < least || value > most)
    throw new TypeError(`${name}: must be a whole number from ${least} to ${most}`)
  return value
}

function checkHost(host: unknown, secured: boolean): URL {
  const url = typeof host === 'string' && URL.canParse(host) ? new URL(host) : undefined
  const plain = url && url.pathname === '/' && !url.search && !url.hash
  if (!plain || !(url.protocol === 'http:' || url.protocol === 'https:'))
    throw new TypeError('hosts: must be URLs such as https://10.0.0.1:2379 or http://127.0.0.1:2379')
  if (url.username || url.password)
    throw new TypeError('hosts: must not contain a user or password; use the options user and password')
  if (secured && url.protocol === 'http:') throw new TypeError('tls: requires hosts that begin with https')
  if (url.port === '' && !/:(80|443)\/?$/.test(host as string)) url.port = '2379'
  return url
}

function checkPrefix(prefix: unknown): string {
  const fits = typeof prefix === 'string' && !/\p{Surrogate}/u.test(prefix) && Buffer.byteLength(prefix) <= MAX_PREFIX_BYTES
  if (!fits || prefix === '') throw new TypeError(`prefix: must be a string of 1 to ${MAX_PREFIX_BYTES} bytes`)
  return prefix
}

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

/** @throws TypeError for an invalid option. */
export function checkedOptions(given: EtcdStorageOptions) {
  const options = readOptions('etcdStorage', given, ETCD_OPTIONS)
  const { tls, user, password, signal } = options
  const hosts = [options.hosts].flat().map((host) => checkHost(host, tls !== undefined))
  if (hosts.length === 0) throw new TypeError('hosts: must have at least one member')
  if ((user === undefined) !== (password === undefined)) throw new TypeError('user, password: must be given together')
  if (user !== undefined && (typeof user !== 'string' || typeof password !== 'string' || user === ''))
    throw new TypeError('user, password: must be strings')
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
    maxTxnOps: checkWhole(options.maxTxnOps ?? 128, 'maxTxnOps', MIN_TXN_OPS, MAX_TXN_OPS),
    maxRequestBytes: room,
    maxValueBytes: checkWhole(options.maxValueBytes ?? Math.floor(room / 6), 'maxValueBytes', 1024, room),
  }
}
