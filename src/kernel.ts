/**
 * The composition root: options become a kernel. Imported by index.ts only; imports everything but adapters and testing.
 */
import { base62, hashToken, newToken, ROOT_TOKEN, ROOT_TOKEN_ID, Tokens } from './core/auth/principal.ts'
import { Barrier } from './core/barrier/barrier.ts'
import { type BootParts, initialize, isInitialized, unseal } from './core/boot.ts'
import { systemClock } from './core/clock.ts'
import type { Wipeable } from './core/crypto/backend.ts'
import { nobleCrypto } from './core/crypto/noble/index.ts'
import { KeyCache } from './core/crypto/pins.ts'
import { Claims } from './core/due/claims.ts'
import { startTicking, type TickOptions, type TickResult, tick } from './core/due/tick.ts'
import { systemEntropy } from './core/entropy.ts'
import { CORE, MountTable, newMount } from './core/mount/mount-table.ts'
import type { Api } from './core/operation/api.ts'
import { uuid } from './core/request/envelope.ts'
import { Gate } from './core/request/gate.ts'
import { PathView } from './core/request/path-view.ts'
import type { KernelRequest, KernelResponse } from './core/request/request.ts'
import { typedView } from './core/request/typed-view.ts'
import type { Op } from './core/storage/port.ts'
import { RecordCache } from './core/transaction/cache.ts'
import type { Host } from './core/transaction/host.ts'
import { splitFormat, withFormat } from './core/transaction/record-kind.ts'
import { Store } from './core/transaction/store.ts'
import { transit } from './engines/transit/index.ts'
import { checkOptions, type KernelOptions } from './options.ts'

/** The encryption engine's typed view. */
export type Transit = Api<typeof transit.operations> & {
  /** The same methods for an encryption engine mounted elsewhere, such as `payments/`. */
  at(path: string): Transit
}

const DEFAULT_PREFIX = 'strongroom'
const DEFAULT_HEADERS = 'X-Service'
const ROOT_TOKEN_KEY = `${ROOT_TOKEN.class}/${CORE}/${ROOT_TOKEN.folder}/${ROOT_TOKEN_ID}`

/** Sealing of this process. */
export interface SealControl {
  readonly state: 'uninitialized' | 'sealed' | 'open' | 'closed'
  /** Wipes every key from memory. Running requests end with the keys they hold; later ones are refused with 503. */
  seal(): Promise<void>
  /** Asks the seal again. Nothing happens when the kernel is open. */
  unseal(): Promise<void>
}

/**
 * A secrets kernel. Make one with {@link createKernel}. All methods may be called concurrently; arguments are copied where a call cannot
 * finish at once; what is returned belongs to the caller.
 */
export class Kernel implements AsyncDisposable {
  /** The encryption engine at `transit/`, with the application's own authority. */
  readonly transit: Transit
  readonly seal: SealControl
  /** Only on the kernel that initialised the store, and kept nowhere else: write it down or lose it. */
  readonly rootToken: string | undefined
  readonly #parts: Parts
  readonly #pathView: PathView
  #ticking: Promise<TickResult> | undefined
  #closing: Promise<void> | undefined

  /** @internal */
  constructor(parts: Parts, rootToken: string | undefined) {
    this.#parts = parts
    this.rootToken = rootToken
    this.transit = transitView(parts, 'transit/')
    this.seal = sealControl(parts)
    this.#pathView = parts.pathView
  }

  /**
   * The path-addressed API of the spec. Never rejects: a refusal is an answer with `errors`.
   * Without the root token, in the token header or as a bearer, everything is 403.
   */
  handle(request: KernelRequest): Promise<KernelResponse> {
    return this.#pathView.handle(request)
  }

  /**
   * Does the background work that is due: automatic rotations, what deletions left. One run at a time; a call during a run joins it.
   * @throws KernelError 503 when sealed.
   */
  tick(options: TickOptions = {}): Promise<TickResult> {
    try {
      this.#parts.gate.check()
    } catch (error) {
      return Promise.reject(error)
    }
    const { host, mounts, claims, gate } = this.#parts
    this.#ticking ??= gate
      .track(tick({ host, clock: host.clock, claims, mount: (id) => mounts.byId(id) }, options))
      .finally(() => {
        this.#ticking = undefined
      })
    return this.#ticking
  }

  /**
   * Calls {@link tick} every `intervalMs` milliseconds (default 1,000) until the returned function is called or the kernel is closed.
   * The timer keeps the process alive. Failures of single items are in no result here; the items stay due.
   */
  start(options: { readonly intervalMs?: number } = {}): () => void {
    return startTicking(this.#parts.host.clock, () => this.tick(), options.intervalMs ?? 1000, this.#parts.closed.signal)
  }

  /** Idempotent: waits for running requests, gives back claims, wipes every key. The storage stays open: it is the caller's. */
  close(): Promise<void> {
    this.#closing ??= shutDown(this.#parts)
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

interface Parts {
  readonly options: KernelOptions
  readonly boot: BootParts
  readonly gate: Gate
  readonly host: Host
  readonly mounts: MountTable
  readonly tokens: Tokens
  readonly claims: Claims
  readonly pathView: PathView
  readonly closed: AbortController
  /** Ends the watch on the storage. */
  unwatch: () => Promise<void>
}

/**
 * Opens a kernel on a storage. On a fresh one, with `initialize: true`, it writes a new key ring, mounts an encryption engine at
 * `transit/` and has a `rootToken`; an existing one is unsealed by its seal.
 * @throws TypeError for wrong options; KernelError when the seal does not open the store or the store cannot be read.
 */
export async function createKernel(options: KernelOptions): Promise<Kernel> {
  checkOptions(options)
  const parts = assemble(options)
  let rootToken: string | undefined
  if (!(await isInitialized(parts.host.store))) {
    if (!options.initialize) return new Kernel(parts, undefined)
    rootToken = newToken(parts.host.env.entropy)
    const fresh = await initialize(parts.boot, () => firstRecords(parts, rootToken as string))
    if (!fresh) rootToken = undefined
  }
  await open(parts)
  return new Kernel(parts, rootToken)
}

function assemble(options: KernelOptions): Parts {
  const clock = options.clock ?? systemClock
  const entropy = options.entropy ?? systemEntropy()
  const crypto = options.crypto ?? nobleCrypto()
  const barrier = new Barrier(entropy)
  const store = new Store(options.storage, barrier, clock, entropy)
  const ciphertextPrefix = options.naming?.ciphertext_prefix ?? DEFAULT_PREFIX
  const host: Host = {
    env: { crypto, entropy, ciphertextPrefix },
    clock,
    store,
    cache: new RecordCache(options.cache?.records ?? 10_000),
    keys: new KeyCache<Wipeable>(options.cache?.keys ?? 512),
  }
  const gate = new Gate()
  const tokens = new Tokens()
  const mounts = new MountTable(host, [transit])
  const headerPrefix = options.naming?.header_prefix ?? DEFAULT_HEADERS
  return {
    options,
    boot: { store, barrier, seal: options.seal, crypto, entropy, now: () => clock.now() },
    gate,
    host,
    mounts,
    tokens,
    claims: new Claims(store, clock, base62(entropy, 16)),
    pathView: new PathView({ gate, clock, entropy, tokens, headerPrefix, route: (path) => mounts.route(path) }),
    closed: new AbortController(),
    unwatch: async () => {},
  }
}

function firstRecords({ host }: Parts, rootToken: string): readonly Op[] {
  const { store, env } = host
  const mount = { uuid: uuid(env.entropy.bytes(16)), type: transit.type, path: 'transit/', accessor: accessor(transit.type, host) }
  const token = withFormat(ROOT_TOKEN.format, ROOT_TOKEN.encode({ hash: hashToken(rootToken) }))
  return [newMount(store, mount), store.sealed(ROOT_TOKEN_KEY, token, 0)]
}

const accessor = (type: string, host: Host): string => `${type}_${uuid(host.env.entropy.bytes(16)).slice(0, 8)}`

/** Unseals, reads what every request needs, and follows what others write to the same store. */
async function open(parts: Parts): Promise<void> {
  const { store, cache } = parts.host
  if (!parts.boot.barrier.open) {
    await unseal(parts.boot)
  }
  if (store.storage.caps.shared) {
    await parts.unwatch()
    parts.unwatch = await store.storage.watch('', await store.storage.revision(true), (change) => cache.apply(change))
  }
  await parts.mounts.load()
  const [token] = await store.getMany([ROOT_TOKEN_KEY])
  if (token) {
    const [format, bytes] = splitFormat(ROOT_TOKEN, token.value)
    parts.tokens.load(ROOT_TOKEN.decode(bytes, format))
  }
  parts.gate.state = 'open'
}

function sealControl(parts: Parts): SealControl {
  return {
    get state() {
      return parts.gate.state
    },
    async seal() {
      if (parts.gate.state !== 'open') return
      parts.gate.state = 'sealed'
      forgetSecrets(parts)
    },
    async unseal() {
      if (parts.gate.state === 'sealed') await open(parts)
    },
  }
}

/** Keys that a running request holds live until it ends; nobody else finds them. */
function forgetSecrets({ host, boot }: Parts): void {
  host.keys.clear()
  host.cache.clear()
  boot.barrier.seal()
}

async function shutDown(parts: Parts): Promise<void> {
  const wasOpen = parts.gate.state === 'open'
  parts.gate.state = 'closed'
  parts.closed.abort(new TypeError('the kernel is closed'))
  await parts.gate.idle()
  // What cannot be given back expires by itself.
  if (wasOpen) await parts.claims.release().catch(() => {})
  await parts.unwatch()
  forgetSecrets(parts)
}

/** A view costs one object; the methods stand on a prototype that all views of the engine share. */
function transitView(parts: Parts, path: string): Transit {
  const view = new TransitView({ gate: parts.gate, clock: parts.host.clock, mount: () => parts.mounts.at(path, transit.type) })
  Object.defineProperty(view, 'at', { value: (other: string) => transitView(parts, withSlash(other)), enumerable: false })
  return view as Transit
}

const TransitView = typedView(transit.operations)

function withSlash(path: string): string {
  if (typeof path !== 'string' || path === '') throw new TypeError('at: path must be a string such as "payments/"')
  return path.endsWith('/') ? path : `${path}/`
}
