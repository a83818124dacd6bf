/**
 * The options of a kernel.
 */
import type { Clock } from '../base/clock.ts'
import type { Entropy } from '../base/entropy.ts'
import type { PortRules, Ports } from '../contract/ports.ts'
import type { Naming } from '../contract/request.ts'
import type { WorkersPort } from '../contract/workers-port.ts'
import type { CryptoBackend } from '../crypto/backend.ts'
import { type AnySeal, checkSeal, isAutomatic } from '../seal/seal.ts'
import type { Storage } from '../storage/port.ts'
import { checkPorts } from './port-methods.ts'
import { checkReplication, type ReplicationOptions } from './replication-options.ts'

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
  readonly previous_seal?: AnySeal
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
    readonly generate_root?: boolean
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
  readonly require_request_header?: boolean
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
  readonly effect_timeout_ms?: number
  /** Memory bounds of requests by path. */
  readonly bodies?: {
    /**
     * Estimated bytes that the parsed bodies of all requests under way may take. Requests beyond that are answered with 503 and
     * `Retry-After`. Bodies of more than 64 KiB whose callers have not yet shown a valid token take at most an eighth of it. Default 512
     * MiB; below 296 MiB some bodies of 32 MiB do not fit.
     */
    readonly parsed_bytes?: number
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
     * asks. Give all processes of a store the same value: `settled()` of each relies on it.
     */
    readonly staleness_ms?: number
  }
}

const KNOWN: readonly (keyof KernelOptions)[] = [
  'storage',
  'seal',
  'previous_seal',
  'unauthenticated',
  'initialize',
  'clock',
  'entropy',
  'crypto',
  'workers',
  'naming',
  'fips',
  'ports',
  'effect_timeout_ms',
  'cache',
  'bodies',
  'require_request_header',
  'replication',
]

const LONGEST_TIMEOUT_MS = 3_600_000

const PREFIX = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

/**
 * @param ports The ports that the kernel and its engines know.
 * @param more Options that its engines check themselves.
 * @throws TypeError for invalid options, before anything is touched.
 */
export function checkOptions(
  options: KernelOptions,
  ports: Readonly<Record<string, PortRules>>,
  more: readonly string[] = [],
): void {
  if (typeof options !== 'object' || options === null) throw new TypeError('createKernel: takes an object of options')
  for (const name in options)
    if (!(KNOWN as readonly string[]).includes(name) && !more.includes(name))
      throw new TypeError(`createKernel: unknown option ${name}`)
  for (const method of ['get', 'getMany', 'scan', 'list', 'commit', 'revision', 'watch', 'close'] as const) {
    if (typeof options.storage?.[method] !== 'function') throw new TypeError(`createKernel: storage has no method ${method}`)
  }
  checkSeal(options.seal, 'seal')
  if (options.previous_seal !== undefined) checkSeal(options.previous_seal, 'previous_seal')
  if (options.initialize === true && !isAutomatic(options.seal))
    throw new TypeError('createKernel: initialize needs a seal without shares; make them with kernel.seal.initialize()')
  if (options.workers !== undefined && typeof (options.workers as { open?: unknown } | null)?.open !== 'function')
    throw new TypeError('createKernel: workers has no method open')
  checkSwitches(options.unauthenticated)
  checkReplication(options.replication)
  if (options.fips !== undefined && typeof options.fips !== 'boolean') throw new TypeError('createKernel: fips must be a boolean')
  if (options.ports !== undefined) checkPorts(options.ports, ports)
  const timeout = options.effect_timeout_ms
  if (timeout !== undefined && !(Number.isSafeInteger(timeout) && timeout >= 1 && timeout <= LONGEST_TIMEOUT_MS))
    throw new TypeError(`createKernel: effect_timeout_ms is a whole number of milliseconds, 1 to ${LONGEST_TIMEOUT_MS}`)
  for (const limit of [options.cache?.records, options.cache?.keys]) {
    if (limit !== undefined && !(Number.isSafeInteger(limit) && limit > 0))
      throw new TypeError('createKernel: cache limits are positive whole numbers')
  }
  const parsed = options.bodies?.parsed_bytes
  if (parsed !== undefined && !(Number.isSafeInteger(parsed) && parsed > 0))
    throw new TypeError('createKernel: bodies.parsed_bytes is a positive whole number')
  const staleness = options.cache?.staleness_ms
  if (staleness !== undefined && !(Number.isSafeInteger(staleness) && staleness >= 0))
    throw new TypeError('createKernel: cache.staleness_ms is a whole number of milliseconds, not below 0')
  for (const prefix of [options.naming?.ciphertext_prefix, options.naming?.header_prefix]) {
    if (prefix !== undefined && !PREFIX.test(prefix))
      throw new TypeError('createKernel: naming takes letters, digits, ".", "_" and "-"')
  }
}

function checkSwitches(switches: KernelOptions['unauthenticated']): void {
  if (switches === undefined) return
  if (typeof switches !== 'object' || switches === null) throw new TypeError('createKernel: unauthenticated must be an object')
  for (const [name, on] of Object.entries(switches))
    if (!(name === 'rekey' || name === 'generate_root') || !(on === undefined || typeof on === 'boolean'))
      throw new TypeError('createKernel: unauthenticated takes rekey and generate_root, which are booleans')
}
