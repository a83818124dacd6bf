/**
 * The options of a kernel.
 */
import type { Clock } from '../base/clock.ts'
import type { Entropy } from '../base/entropy.ts'
import { type OptionDuration, type OptionNames, type ReadOptions, readOptions } from '../base/options.ts'
import type { PortRules, Ports } from '../contract/ports.ts'
import type { Naming } from '../contract/request.ts'
import type { WorkersPort } from '../contract/workers-port.ts'
import type { CryptoBackend } from '../crypto/backend.ts'
import { type AnySeal, checkSeal, isAutomatic } from '../seal/seal.ts'
import type { Storage } from '../storage/port.ts'
import { checkPorts } from './port-methods.ts'
import { type ParsedReplicationOptions, type ReplicationOptions, readReplication } from './replication-options.ts'

export interface KernelOptions {
  /** Where all durable data goes. It stays open when the kernel is closed. */
  readonly storage: Storage
  /** Protects the root key. An automatic seal, such as `keySeal`, unseals an existing store by itself; `shamirSeal()` waits for shares. */
  readonly seal: AnySeal
  /**
   * The seal that sealed the store until now, where that is an automatic one. Another automatic seal takes over while it opens the store.
   * To `shamirSeal()` the store moves when people give their recovery shares with `migrate`. From `shamirSeal()` to an automatic seal it
   * moves with the shares and `migrate`, and this option stays empty. It may be left out once the store has moved.
   */
  readonly previousSeal?: AnySeal
  /**
   * Initialises a fresh store; an existing one is opened either way. Only with a seal that needs no shares. Default false: a fresh store
   * answers 503 until `kernel.seal.initialize` or `sys/init`.
   */
  readonly initialize?: boolean
  /**
   * Endpoints authorised by shares instead of a token. `false` switches one off, as if it did not exist (404), and leaves the endpoints
   * that take a token: anyone who reaches the service could otherwise begin and cancel such attempts. Default: both on.
   */
  readonly unauthenticated?: {
    /** `sys/rekey/*` and `sys/rekey-recovery-key/*`, except the backups, which take a token. */
    readonly rekey?: boolean
    /** `sys/generate-root/*`. */
    readonly generateRoot?: boolean
  }
  /** Default: the machine's. */
  readonly clock?: Clock
  /** Default: the system's generator. With your own, signatures draw all their randomness from it and so stay with the noble libraries. */
  readonly entropy?: Entropy
  /** Default: `nobleCrypto()`, the noble libraries with the platform's WebCrypto for longer values and ECDSA. */
  readonly crypto?: CryptoBackend
  /**
   * Threads that take batches and long computations off the event loop: `nodeWorkers(n)` of `strongroom/workers/node`. Only with the
   * backends of this package; with your own `entropy`, what draws randomness stays where it is. Default: none.
   */
  readonly workers?: WorkersPort
  /** Default: `strongroom` and `X-Service`. */
  readonly naming?: Partial<Naming>
  /** `handle()` refuses requests without the header `<prefix>-Request: true` (412). Default false. */
  readonly requireRequestHeader?: boolean
  /**
   * Refuses algorithms not approved for FIPS 140 modules: creating, importing and using keys of the types chacha20-poly1305,
   * xchacha20-poly1305 and ed25519 (reading, settings and deletion still work). Default false. This is no certification: neither this
   * kernel nor the noble libraries are a validated module.
   */
  readonly fips?: boolean
  /** External systems that parts of the kernel work with. Each is needed only by the features that use it. */
  readonly ports?: Ports
  /**
   * How many milliseconds the kernel waits for any external call: a call of a port, a seal or an audit sink that takes longer counts as
   * failed. 1 to 3,600,000; default 15,000. The storage bounds its calls itself; only `close()` waits no longer than this for it.
   */
  readonly effectTimeoutMs?: OptionDuration
  /**
   * How many milliseconds the storage may take for one call, the retries of an unknown commit included. The storage itself ends its calls
   * (`timeoutMs` of `postgresqlStorage` and `etcdStorage`, also 5,000 by default), since it alone knows their outcome. Once a call has taken longer,
   * or has failed and the store does not answer a probe, requests are refused at once with 503, until a probe succeeds. 1 to 3,600,000; default
   * 5,000.
   */
  readonly storageTimeoutMs?: OptionDuration
  /** Memory bounds of requests by path. */
  readonly bodies?: {
    /**
     * Estimated bytes that the parsed bodies of all requests under way may take. Requests beyond that are answered with 503 and
     * `Retry-After`. Bodies of more than 64 KiB whose callers have not yet shown a valid token take at most an eighth of it. Default 512
     * MiB; below 296 MiB some bodies of 32 MiB do not fit.
     */
    readonly parsedBytes?: number
  }
  /** How this cluster takes part in replication. */
  readonly replication?: ReplicationOptions
  /** Bounds of the in-memory caches: size and age. */
  readonly cache?: {
    /** Decoded records per kind and mount. Default 10,000. */
    readonly records?: number
    /** Key versions ready for use, about 30 KB each for AES. Default 512. */
    readonly keys?: number
    /**
     * On a storage that others also write to (`caps.shared`): how many milliseconds the caches may be behind others' commits. Default
     * 2,000. A request that would have to use something older asks the store first; nothing older is ever acted on. With 0 every request
     * asks. Give all processes of a store the same value: `visibleEverywhere()` of each relies on it.
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
 * @param ports The ports that the kernel and its engines know.
 * @param more Options that its engines check themselves.
 * @throws TypeError for invalid options, before anything is touched.
 */
export function readKernelOptions(
  given: KernelOptions,
  ports: Readonly<Record<string, PortRules>>,
  more: readonly string[] = [],
): ParsedKernelOptions {
  // Engines declare options of their own.
  const names = { ...OPTION_NAMES, ...Object.fromEntries(more.map((name) => [name, 1])) } as OptionNames<KernelOptions>
  const { cache, bodies, naming, unauthenticated, replication, ...options } = readOptions(CALLEE, given, names)
  for (const method of ['get', 'getMany', 'scan', 'list', 'commit', 'revision', 'watch', 'close'] as const) {
    if (typeof options.storage?.[method] !== 'function') throw new TypeError(`createKernel: storage has no method ${method}`)
  }
  checkSeal(options.seal, 'seal')
  if (options.previousSeal !== undefined) checkSeal(options.previousSeal, 'previousSeal')
  if (options.initialize === true && !isAutomatic(options.seal))
    throw new TypeError('createKernel: initialize needs a seal without shares; make them with kernel.seal.initialize()')
  if (options.workers !== undefined && typeof (options.workers as { open?: unknown } | null)?.open !== 'function')
    throw new TypeError('createKernel: workers has no method open')
  if (options.fips !== undefined && typeof options.fips !== 'boolean') throw new TypeError('createKernel: fips must be a boolean')
  if (options.ports !== undefined) checkPorts(options.ports, ports)
  for (const name of ['effectTimeoutMs', 'storageTimeoutMs'] as const) {
    const timeout = options[name]
    if (timeout !== undefined && !(Number.isSafeInteger(timeout) && timeout >= 1 && timeout <= MAX_TIMEOUT_MS))
      throw new TypeError(`createKernel: ${name} is a whole number of milliseconds, 1 to ${MAX_TIMEOUT_MS}`)
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
  const cache = readOptions(CALLEE, given, { records: 1, keys: 1, stalenessMs: 1 }, 'cache.')
  for (const limit of [cache.records, cache.keys]) {
    if (limit !== undefined && !(Number.isSafeInteger(limit) && limit > 0))
      throw new TypeError('createKernel: cache limits are positive whole numbers')
  }
  const { stalenessMs } = cache
  if (stalenessMs !== undefined && !(Number.isSafeInteger(stalenessMs) && stalenessMs >= 0))
    throw new TypeError('createKernel: cache.stalenessMs is a whole number of milliseconds, not below 0')
  return cache
}

function readBodies(given: NonNullable<KernelOptions['bodies']>): NonNullable<KernelOptions['bodies']> {
  const { parsedBytes } = readOptions(CALLEE, given, { parsedBytes: 1 }, 'bodies.')
  if (parsedBytes !== undefined && !(Number.isSafeInteger(parsedBytes) && parsedBytes > 0))
    throw new TypeError('createKernel: bodies.parsedBytes is a positive whole number')
  return { ...(parsedBytes !== undefined && { parsedBytes }) }
}

function readNaming(given: Partial<Naming>): Partial<Naming> {
  const naming = readOptions(CALLEE, given, { ciphertextPrefix: 1, headerPrefix: 1 }, 'naming.')
  for (const prefix of Object.values(naming)) {
    if (prefix !== undefined && !PREFIX.test(prefix))
      throw new TypeError('createKernel: naming takes letters, digits, ".", "_" and "-"')
  }
  return naming
}

function readSwitches(given: NonNullable<KernelOptions['unauthenticated']>): NonNullable<KernelOptions['unauthenticated']> {
  const switches = readOptions(CALLEE, given, { rekey: 1, generateRoot: 1 }, 'unauthenticated.')
  for (const isOn of Object.values(switches))
    if (isOn !== undefined && typeof isOn !== 'boolean')
      throw new TypeError('createKernel: unauthenticated takes rekey and generateRoot, which are booleans')
  return switches
}
