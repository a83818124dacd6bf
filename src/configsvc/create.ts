import { checkAudit } from '../core/audit/sink.ts'
import { Barrier } from '../core/barrier/barrier.ts'
import { PLAIN_RECORDS } from '../core/barrier/plain-records.ts'
import type { Clock } from '../core/base/clock.ts'
import { type Entropy, systemEntropy } from '../core/base/entropy.ts'
import { base62 } from '../core/base/identifiers.ts'
import { type OptionDuration, readOptions } from '../core/base/options.ts'
import type { Ports } from '../core/contract/ports.ts'
import type { Tracer } from '../core/contract/tracer.ts'
import type { CryptoBackend } from '../core/crypto/backend.ts'
import { checkRsaPort, type RsaPort } from '../core/crypto/rsa/index.ts'
import { LaneClaims } from '../core/due/claims.ts'
import { type StartOptions, startOptions, tickOptions } from '../core/due/start-options.ts'
import { startTicking } from '../core/due/start-ticking.ts'
import { type TickOptions, type TickResult, tick } from '../core/due/tick.ts'
import { KEY_SETS } from '../core/jwt/key-set-fetcher.ts'
import { TOKEN_REVIEWER } from '../core/jwt/token-reviewer.ts'
import { boundSeal } from '../core/kernel/bound-ports.ts'
import { checkPorts } from '../core/kernel/port-methods.ts'
import { createServiceRuntime, type ServiceRuntime } from '../core/kernel/service-runtime.ts'
import { closeStore, followKeys, openStore, type StoreService } from '../core/kernel/store-lifecycle.ts'
import { checkSeal, isAutomatic, type Seal } from '../core/seal/seal.ts'
import type { Storage } from '../core/storage/port.ts'
import { checkFormat } from '../core/transaction/store-format.ts'
import { ConfigCore } from './core.ts'
import { configServicePartsOf } from './loaded-service.ts'
import { type ConfigOptions, checkConfigOptions } from './options.ts'
import { type OwnStore, plainStore, sealedStore } from './own-store.ts'
import { ConfigService } from './service.ts'
import { workerIn } from './work.ts'

export interface OwnServiceOptions extends ConfigOptions {
  /** The storage. Closing the service does not close it. */
  readonly storage: Storage
  /** An automatic seal, such as `keySeal`. It protects the root key, which encrypts all records. */
  readonly seal?: Seal
  /** Stores everything unencrypted, including policies and the claims of users. SecretIDs are always stored as keyed hashes. */
  readonly plaintext?: true
  /** Default: the system clock. */
  readonly clock?: Clock
  /** Default: the random generator of the operating system. */
  readonly entropy?: Entropy
  /** Default: the noble libraries. */
  readonly crypto?: CryptoBackend
  /** RSA for platforms that have none. It has the same meaning as for a kernel. */
  readonly rsa?: RsaPort
  /** `tokenReviewer` for auth methods of type `kubernetes`, `keySets` for those of type `jwt` that fetch their keys. */
  readonly ports?: Pick<Ports, 'tokenReviewer' | 'keySets'>
  /** The timeout for each call to a port in milliseconds; default 15,000. */
  readonly effectTimeoutMs?: OptionDuration
  /** Limits of the caches. They have the same meaning as for a kernel. */
  readonly cache?: { readonly records?: number; readonly stalenessMs?: OptionDuration }
}

const KNOWN_OPTIONS = {
  storage: 1,
  seal: 1,
  plaintext: 1,
  clock: 1,
  entropy: 1,
  crypto: 1,
  rsa: 1,
  ports: 1,
  effectTimeoutMs: 1,
  cache: 1,
  acl: 1,
  naming: 1,
  datacenter: 1,
}

const CALLER_NAME = 'createConfigService'

const PORTS = { tokenReviewer: TOKEN_REVIEWER, keySets: KEY_SETS }

const NOWHERE = { namespace: '', mount: '' }

/** The configuration service uses neither leases nor the kernel's auth methods, so no code may call this function. */
const NO_ACCESS = (): never => {
  throw new TypeError('this service has no leases')
}

/** A configuration service on a store of its own; create it with {@link createConfigService}. */
export class OwnConfigService extends ConfigService {
  readonly #runtime: ServiceRuntime
  readonly #storeService: StoreService
  readonly #own: OwnStore
  readonly #claims: LaneClaims
  readonly #core: ConfigCore
  #ticking: Promise<TickResult> | undefined
  #closing: Promise<void> | undefined

  /** @internal */
  constructor(runtime: ServiceRuntime, storeService: StoreService, own: OwnStore, core: ConfigCore) {
    super(configServicePartsOf(core))
    this.#runtime = runtime
    this.#storeService = storeService
    this.#own = own
    this.#core = core
    const { store, clock, env } = runtime.host
    this.#claims = new LaneClaims(store, clock, base62(env.entropy, 16))
  }

  /**
   * Runs the background work that is due: deletes expired tokens and the records of deleted auth methods, reconciles API gateways with
   * their routes, and rotates the key that encrypts the store. Concurrent calls share one run.
   * @throws TypeError if the service is closed, or if an option is unknown.
   */
  async tick(options: TickOptions = {}): Promise<TickResult> {
    const { gate, host } = this.#runtime
    gate.checkOpen()
    const checked = tickOptions(options)
    this.#ticking ??= gate.track(this.#tick(checked, host)).finally(() => {
      this.#ticking = undefined
    })
    return this.#ticking
  }

  async #tick(options: TickOptions, host: ServiceRuntime['host']): Promise<TickResult> {
    await this.#core.ready()
    await this.#own.rotateKeys().catch(() => {})
    return tick(
      { host, claims: this.#claims, worker: (entry) => workerIn(this.#core.keyspace, entry), eventPlaceOf: () => NOWHERE },
      options,
    )
  }

  /**
   * Calls {@link tick} every `intervalMs` milliseconds (default 1,000) until the returned function is called or the service is closed.
   * Unless `unref` is true, the timer keeps the process alive.
   * @throws TypeError for an unknown option or an invalid value.
   */
  start(options: StartOptions = {}): () => void {
    const { host, closed } = this.#runtime
    const ignore = () => {}
    const ticking = {
      clock: host.clock,
      tick: () => this.tick(),
      isReady: () => true,
      failed: ignore,
      succeeded: ignore,
      closed: closed.signal,
    }
    return startTicking(ticking, startOptions(options))
  }

  /** Ends blocking reads, waits for all other calls in progress, and wipes keys. The storage stays open. Idempotent. */
  override close(): Promise<void> {
    this.#closing ??= closeStore(this.#runtime, this.#storeService, async () => {
      await this.#own.flushKeyUse().catch(() => {})
      await this.#claims.release().catch(() => {})
    })
    return this.#closing
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return 'ConfigService'
  }
}

/** @throws TypeError for invalid options; KernelError if the seal cannot unseal the store, or the store cannot be read. */
export async function createOwnService(given: OwnServiceOptions, tracer: Tracer): Promise<OwnConfigService> {
  const options = readOptions(CALLER_NAME, given, KNOWN_OPTIONS)
  const { storage, seal, plaintext, acl, naming, datacenter, cache, ...rest } = options
  const checked = checkConfigOptions({ ...(acl && { acl }), ...(naming && { naming }), ...(datacenter && { datacenter }) })
  checkProtection(options, checked.enabled)
  if (options.ports) checkPorts(options.ports, PORTS, { audit: checkAudit })
  checkRsaPort(CALLER_NAME, options.rsa)
  const entropy = options.entropy ?? systemEntropy()
  const barrier = seal ? new Barrier(entropy) : undefined
  const runtime = createServiceRuntime(
    {
      ...rest,
      ...(cache !== undefined && { cache: readOptions(CALLER_NAME, cache, { records: 1, stalenessMs: 1 }, 'cache.') }),
      storage,
      entropy,
    },
    {
      ciphertextPrefix: 'strongroom',
      headerPrefix: checked.headerPrefix,
      ports: PORTS,
      tracer,
      access: { issueLease: NO_ACCESS, previewLease: NO_ACCESS, issueLogin: NO_ACCESS },
      records: barrier ?? PLAIN_RECORDS,
    },
  )
  const own = barrier && seal ? sealedStore(runtime, barrier, boundSeal(seal, runtime.deadline) as Seal) : plainStore(runtime)
  const core = new ConfigCore({ host: runtime.host, gate: runtime.gate, tracer }, checked)
  const storeService: StoreService = {
    keys: own.keys,
    load: async () => core.ready(),
    prepare: async () => {},
    opened: async () => {},
    forget: () => core.onSealed(),
  }
  followKeys(runtime, storeService)
  await checkFormat(runtime.host.store)
  await own.prepare()
  runtime.gate.state = 'sealed'
  await openStore(runtime, storeService, own.unlock)
  return new OwnConfigService(runtime, storeService, own, core)
}

function checkProtection(
  { storage, seal, plaintext }: Pick<OwnServiceOptions, 'storage' | 'seal' | 'plaintext'>,
  enabled: boolean,
): void {
  for (const method of ['get', 'getMany', 'scan', 'list', 'commit', 'revision', 'watch', 'close'] as const)
    if (typeof storage?.[method] !== 'function') throw new TypeError(`createConfigService: storage has no method ${method}`)
  if (seal !== undefined && plaintext !== undefined)
    throw new TypeError('createConfigService: seal, plaintext: must not both be given')
  if (plaintext !== undefined && plaintext !== true) throw new TypeError('createConfigService: plaintext: must be true or absent')
  if (seal === undefined) {
    if (plaintext || !enabled) return
    throw new TypeError('createConfigService: seal: required; set plaintext: true to store everything unencrypted')
  }
  checkSeal(seal, 'seal')
  if (!isAutomatic(seal))
    throw new TypeError('createConfigService: seal: must be an automatic seal; with key shares, use kernel.configsvc')
}
