import type { Clock } from '../base/clock.ts'
import type { Entropy } from '../base/entropy.ts'
import { type OptionDuration, type OptionNames, type ReadOptions, readOptions } from '../base/options.ts'
import type { PortRules, Ports } from '../contract/ports.ts'
import type { Naming } from '../contract/request.ts'
import type { WorkersPort } from '../contract/workers-port.ts'
import type { CryptoBackend } from '../crypto/backend.ts'
import type { RsaPort } from '../crypto/rsa/arithmetic.ts'
import { checkRsaPort } from '../crypto/rsa/with-rsa.ts'
import { type AnySeal, checkSeal, isAutomatic } from '../seal/seal.ts'
import type { Storage } from '../storage/port.ts'
import { checkPorts, type PortChecks } from './port-methods.ts'
import { type ParsedReplicationOptions, type ReplicationOptions, readReplication } from './replication-options.ts'

export interface KernelOptions {
  /** The storage for all durable data. Closing the kernel does not close it. */
  readonly storage: Storage
  /**
   * The seal, which protects the root key. With an automatic seal, such as `keySeal`, an existing store is unsealed immediately. With
   * `shamirSeal()`, the kernel waits for key shares.
   */
  readonly seal: AnySeal
  /**
   * The automatic seal that has protected the store until now. Set it to move the store to the seal in `seal`. If `seal` is another
   * automatic seal, the store moves when it is opened. If `seal` is `shamirSeal()`, the store moves when people submit their recovery
   * shares with `migrate`. To move from `shamirSeal()` to an automatic seal, omit this option; the store then moves when people submit
   * their key shares with `migrate`. Omit the option after the move.
   */
  readonly previousSeal?: AnySeal
  /**
   * Whether to initialize a new store when the kernel is created. Can be true only for seals that need no key shares. Default false: with a
   * new store, the kernel answers 503 until `kernel.seal.initialize` or `sys/init` is called. An existing store is opened in any case.
   */
  readonly initialize?: boolean
  /**
   * Whether to offer the endpoints that require key shares instead of a token. Anyone who can reach the service can start and cancel
   * attempts at these endpoints. With `false`, requests to them are answered with 404. Each of the two options below controls one group of
   * endpoints; both are true by default.
   */
  readonly unauthenticated?: {
    /**
     * `sys/rekey/*` and `sys/rekey-recovery-key/*`. The operations on backups of shares require a token and are offered even with `false`.
     */
    readonly rekey?: boolean
    /** `sys/generate-root/*`. */
    readonly generateRoot?: boolean
  }
  /** Default: the system clock. */
  readonly clock?: Clock
  /**
   * The source of random bytes. Default: the generator of the operating system. If you set one, the noble libraries compute all signatures,
   * because the platform's implementation cannot use another source of randomness.
   */
  readonly entropy?: Entropy
  /** Default: `nobleCrypto()`: the noble libraries, and the platform's WebCrypto for longer values and ECDSA. */
  readonly crypto?: CryptoBackend
  /**
   * RSA for platforms that have none, such as browsers: `await forgeRsa()` of `strongroom/crypto/forge`. It replaces the RSA of the
   * platform, so set it only where the platform has no RSA or lacks an operation. Cannot be combined with `workers`. Default: the RSA of
   * the platform.
   */
  readonly rsa?: RsaPort
  /**
   * Worker threads for batches and long computations: `nodeWorkers(n)` of `strongroom/workers/node`. Can be used only with the crypto
   * backends of this package. With your own `entropy`, work that needs randomness remains on the event loop. Default: none.
   */
  readonly workers?: WorkersPort
  /** The prefixes of ciphertexts and of header names. Default: `strongroom` and `X-Service`. */
  readonly naming?: Partial<Naming>
  /** Whether `handle()` refuses requests without the header `<prefix>-Request: true` (412). Default false. */
  readonly requireRequestHeader?: boolean
  /**
   * Whether to refuse algorithms that are not approved for FIPS 140 modules: keys of the types chacha20-poly1305, xchacha20-poly1305 and
   * ed25519 can then not be created, imported or used. Reading and deleting such keys and changing their settings still work. Default
   * false. This option is no certification: neither this kernel nor the noble libraries are a validated module.
   */
  readonly fips?: boolean
  /** Connections to external systems. A port is required only by the features that use it. */
  readonly ports?: Ports
  /**
   * The time limit, in milliseconds, for each call to a port, a seal or an audit sink: 1 to 3,600,000; default 15,000. Storage adapters
   * enforce their own time limits; for the storage, this limit applies only during `close()`.
   */
  readonly effectTimeoutMs?: OptionDuration
  /**
   * The expected maximum duration of one storage call in milliseconds, including retries of a commit with an unknown outcome: 1 to
   * 3,600,000; default 5,000. This option does not end a storage call. The storage itself must do so, because only the storage knows the
   * outcome of a call; `postgresqlStorage` and `etcdStorage` have the option `timeoutMs` for this, also 5,000 by default. If a call takes
   * longer than `storageTimeoutMs`, or if a call and a following probe fail, later requests fail with 503 within 100 milliseconds until a
   * probe succeeds.
   */
  readonly storageTimeoutMs?: OptionDuration
  /** Memory limits of calls by path. */
  readonly bodies?: {
    /**
     * The limit for the estimated memory in bytes of the parsed bodies of all running requests. Requests beyond the limit are answered with
     * 503 and `Retry-After`. Bodies of more than 64 KiB from callers whose token was not validated yet may use at most an eighth of the
     * limit. Default 512 MiB. A body has at most 32 MiB, but its parsed form may need 296 MiB, so a smaller limit refuses some bodies.
     */
    readonly parsedBytes?: number
  }
  /** How this cluster takes part in replication. */
  readonly replication?: ReplicationOptions
  /** Limits for the size and age of the in-memory caches. */
  readonly cache?: {
    /** The maximum number of cached records per record kind and mount. Default 10,000. */
    readonly records?: number
    /** The maximum number of cached key versions. By default only `keyBytes` limits them. */
    readonly keys?: number
    /**
     * The maximum memory of the cached key versions in bytes, as estimated. Default 64 MiB. An AES key version takes about 3 KB, so the
     * default is enough for 20,000 keys; 100,000 keys take 300 MB. A key that is derived for a context takes 2.5 KB more, and each key
     * version keeps up to 256 of them. A key pair takes 4 to 30 KB.
     */
    readonly keyBytes?: number
    /**
     * For a shared storage (`caps.shared`): how many milliseconds the caches may lag behind commits of other processes. Default 2,000. If
     * the caches may be older, the next request first asks the store for its newest revision. With 0, every request asks. Give all
     * processes of a store the same value, because `visibleEverywhere()` relies on it.
     */
    readonly stalenessMs?: OptionDuration
  }
}

const OPTION_NAMES = {
  storage: 1,
  seal: 1,
  previousSeal: 1,
  unauthenticated: 1,
  initialize: 1,
  clock: 1,
  entropy: 1,
  crypto: 1,
  rsa: 1,
  workers: 1,
  naming: 1,
  fips: 1,
  ports: 1,
  effectTimeoutMs: 1,
  storageTimeoutMs: 1,
  cache: 1,
  bodies: 1,
  requireRequestHeader: 1,
  replication: 1,
}

const MAX_TIMEOUT_MS = 3_600_000

const PREFIX = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

/** {@link KernelOptions} with durations in milliseconds. */
export interface ParsedKernelOptions
  extends Omit<KernelOptions, 'effectTimeoutMs' | 'storageTimeoutMs' | 'cache' | 'replication'> {
  readonly effectTimeoutMs?: number
  readonly storageTimeoutMs?: number
  readonly cache?: ReadOptions<NonNullable<KernelOptions['cache']>>
  readonly replication?: ParsedReplicationOptions
}

const CALLEE = 'createKernel'

/**
 * @param ports All ports of the kernel and its engines.
 * @param more Names of options that engines validate themselves.
 * @throws TypeError for invalid options, before anything has been changed.
 */
export function readKernelOptions(
  given: KernelOptions,
  ports: Readonly<Record<string, PortRules>>,
  portChecks: PortChecks,
  more: readonly string[] = [],
): ParsedKernelOptions {
  // Engines add members to `KernelOptions` by declaration merging. OPTION_NAMES cannot list these members, so their names are added here.
  const names = { ...OPTION_NAMES, ...Object.fromEntries(more.map((name) => [name, 1])) } as OptionNames<KernelOptions>
  const { cache, bodies, naming, unauthenticated, replication, ...options } = readOptions(CALLEE, given, names)
  for (const method of ['get', 'getMany', 'scan', 'list', 'commit', 'revision', 'watch', 'close'] as const) {
    if (typeof options.storage?.[method] !== 'function') throw new TypeError(`createKernel: storage has no method ${method}`)
  }
  checkSeal(options.seal, 'seal')
  if (options.previousSeal !== undefined) checkSeal(options.previousSeal, 'previousSeal')
  if (options.initialize === true && !isAutomatic(options.seal))
    throw new TypeError(
      'createKernel: initialize can be true only with an automatic seal; with key shares, call kernel.seal.initialize()',
    )
  if (options.workers !== undefined && typeof (options.workers as { open?: unknown } | null)?.open !== 'function')
    throw new TypeError('createKernel: workers has no method open')
  checkRsaPort(CALLEE, options.rsa)
  if (options.rsa !== undefined && options.workers !== undefined)
    throw new TypeError(
      'createKernel: rsa and workers must not both be given, because worker threads use the RSA of the platform',
    )
  if (options.fips !== undefined && typeof options.fips !== 'boolean') throw new TypeError('createKernel: fips must be a boolean')
  if (options.ports !== undefined) checkPorts(options.ports, ports, portChecks)
  for (const name of ['effectTimeoutMs', 'storageTimeoutMs'] as const) {
    const timeout = options[name]
    if (timeout !== undefined && !(Number.isSafeInteger(timeout) && timeout >= 1 && timeout <= MAX_TIMEOUT_MS))
      throw new TypeError(`createKernel: ${name} must be a whole number of milliseconds, 1 to ${MAX_TIMEOUT_MS}`)
  }
  return {
    ...options,
    ...(cache !== undefined && { cache: readCache(cache) }),
    ...(bodies !== undefined && { bodies: readBodies(bodies) }),
    ...(naming !== undefined && { naming: readNaming(naming) }),
    ...(unauthenticated !== undefined && { unauthenticated: readSwitches(unauthenticated) }),
    ...(replication !== undefined && { replication: readReplication(replication) }),
  }
}

function readCache(given: NonNullable<KernelOptions['cache']>): NonNullable<ParsedKernelOptions['cache']> {
  const cache = readOptions(CALLEE, given, { records: 1, keys: 1, keyBytes: 1, stalenessMs: 1 }, 'cache.')
  for (const limit of [cache.records, cache.keys, cache.keyBytes]) {
    if (limit !== undefined && !(Number.isSafeInteger(limit) && limit > 0))
      throw new TypeError('createKernel: cache.records, cache.keys and cache.keyBytes must be positive whole numbers')
  }
  const { stalenessMs } = cache
  if (stalenessMs !== undefined && !(Number.isSafeInteger(stalenessMs) && stalenessMs >= 0))
    throw new TypeError('createKernel: cache.stalenessMs must be a whole number of milliseconds, 0 or more')
  return cache
}

function readBodies(given: NonNullable<KernelOptions['bodies']>): NonNullable<KernelOptions['bodies']> {
  const { parsedBytes } = readOptions(CALLEE, given, { parsedBytes: 1 }, 'bodies.')
  if (parsedBytes !== undefined && !(Number.isSafeInteger(parsedBytes) && parsedBytes > 0))
    throw new TypeError('createKernel: bodies.parsedBytes must be a positive whole number')
  return { ...(parsedBytes !== undefined && { parsedBytes }) }
}

function readNaming(given: Partial<Naming>): Partial<Naming> {
  const naming = readOptions(CALLEE, given, { ciphertextPrefix: 1, headerPrefix: 1 }, 'naming.')
  for (const prefix of Object.values(naming)) {
    if (prefix !== undefined && !PREFIX.test(prefix))
      throw new TypeError(
        'createKernel: naming: prefixes must consist of letters, digits, ".", "_" and "-", and begin with a letter or digit',
      )
  }
  return naming
}

function readSwitches(given: NonNullable<KernelOptions['unauthenticated']>): NonNullable<KernelOptions['unauthenticated']> {
  const switches = readOptions(CALLEE, given, { rekey: 1, generateRoot: 1 }, 'unauthenticated.')
  for (const isOn of Object.values(switches))
    if (isOn !== undefined && typeof isOn !== 'boolean')
      throw new TypeError('createKernel: unauthenticated.rekey and unauthenticated.generateRoot must be booleans')
  return switches
}
