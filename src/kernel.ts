/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The composition root: options and engines become a kernel.
 */

import { tracer } from '#platform/tracing'
import type { OURS } from './conventional.ts'
import { AUTHORITY } from './core/access/authority.ts'
import { LEASES, LeaseRunner } from './core/access/lease/runner.ts'
import { TOKEN_SALT } from './core/access/token/token-id.ts'
import { WRONG_SIGNATURES, WRONG_SIGNATURES_PER_SECOND } from './core/access/wrapping/wrapping-jwt.ts'
import { AUDIT } from './core/audit/audit.ts'
import { Allowance } from './core/base/allowance.ts'
import type { LongWorkOptions } from './core/base/progress.ts'
import { asServed, type Engine, type EngineValue } from './core/contract/engine.ts'
import type { KernelRequest, KernelResponse } from './core/contract/request.ts'
import { startTicking, type TickOptions, type TickResult, tick } from './core/due/tick.ts'
import { assemble, type Insides } from './core/kernel/assemble.ts'
import { CONTROLS } from './core/kernel/controls.ts'
import type { InitialMount } from './core/kernel/first-records.ts'
import { followOthers, shutDown } from './core/kernel/lifecycle.ts'
import { checkOptions, type KernelOptions } from './core/kernel/options.ts'
import { portsOf } from './core/kernel/port-methods.ts'
import { Sealing } from './core/kernel/sealing.ts'
import { type KernelStatus, statusOf } from './core/kernel/status.ts'
import { TOPOLOGY } from './core/mount/topology.ts'
import type { KernelState } from './core/request/gate.ts'
import { ATTEMPTS, ShareAttempts } from './core/seal/attempt/index.ts'
import { KeyUpkeep } from './core/seal/upkeep.ts'
import { type BackupProgress, backupStorage } from './core/storage/backup.ts'
import { upgradeFormat } from './core/transaction/store-format.ts'
import { Events } from './events-view.ts'
import type { FacadesOf, TokenFacadesOf } from './facades.ts'
import { KernelView as BaseView, type TokenView as TokenViewOf, type ViewKinds, withFacades } from './kernel-view.ts'
import { RotationView, SealControl } from './seal-control.ts'
import { system } from './sys/index.ts'
import { workerOf } from './workers.ts'

/** How often a kernel ticks by itself. */
export interface StartOptions {
  /** Milliseconds between two ticks. Default: 1,000. */
  readonly intervalMs?: number
}

/** What a kernel shows of itself in a log. */
export interface ShownKernel {
  /** Of this process. */
  readonly state: KernelState
}

/**
 * A secrets kernel. Make one with {@link createKernel}. All methods may be called concurrently; arguments are copied where a call cannot
 * finish at once; what is returned belongs to the caller. Its facades act with the application's own authority: no token, no policy.
 */
export class KernelCore<F extends object, T extends object> extends BaseView<F, T> implements AsyncDisposable {
  /** The kernel as a whole: initialising, sealing and unsealing it, the keys that everything is encrypted under. */
  readonly seal: SealControl
  /** What happens here, as it happens. */
  readonly events: Events
  readonly #insides: Insides
  readonly #upkeep: KeyUpkeep
  #ticking: Promise<TickResult> | undefined
  #closing: Promise<void> | undefined

  /** @internal */
  constructor(insides: Insides, sealing: Sealing, kinds: ViewKinds) {
    super(insides, { namespace: '', bearer: undefined }, kinds)
    this.#insides = insides
    this.seal = new SealControl(insides, sealing, this.view(RotationView, system.type, 'sys/'))
    this.#upkeep = new KeyUpkeep(insides.keeper, insides.host)
    this.events = new Events(insides.host.events)
  }

  /** @internal */
  static insidesOf(kernel: KernelCore<object, object>): Insides {
    return kernel.#insides
  }

  /** Only on the kernel that initialised the store, and kept nowhere else: write it down or lose it. */
  get rootToken(): string | undefined {
    return this.#insides.rootToken
  }

  /**
   * The path-addressed API of the spec. Never rejects: a refusal is an answer with `errors`. What a request may do is up to the policies of
   * its token, in the token header or as a bearer.
   */
  handle(request: KernelRequest): Promise<KernelResponse> {
    return this.#insides.pathView.handle(request)
  }

  /**
   * The answer that a request with a body of more than 1 MiB gets whatever that body holds, for a front that has not read it yet: its token is
   * not good, its path needs no token, the kernel is sealed. Undefined where the body is to be read and {@link handle} asked. Counts as no use
   * of the token. What is refused here is in the audit log as what `handle` refuses is.
   */
  refusal(request: Omit<KernelRequest, 'body'>): Promise<KernelResponse | undefined> {
    return this.#insides.pathView.refusal(request)
  }

  /**
   * Does the background work that is due: rotations, revocations, what deletions left. One run at a time; a call during a run joins it
   * with what that was given.
   * @throws KernelError 503 when sealed, TypeError when closed.
   */
  async tick(options: TickOptions = {}): Promise<TickResult> {
    const { host, claims, gate } = this.#insides
    gate.check()
    this.#ticking ??= gate.track(this.#tick(options, { host, claims, worker: workerOf(this.#insides) })).finally(() => {
      this.#ticking = undefined
    })
    return this.#ticking
  }

  async #tick(options: TickOptions, parts: Parameters<typeof tick>[0]): Promise<TickResult> {
    await this.#insides.topology.fresh()
    const failed = await this.#upkeep.run().then(
      () => [],
      (error: unknown) => [
        { lane: 'housekeeping', id: 'encryptions', error: error instanceof Error ? error : new Error('failed') },
      ],
    )
    const look = () => Promise.allSettled([...this.#insides.atTick].map((work) => work()))
    // Before, so that what is still needed is renewed and not cleared away; after, for what this tick has changed.
    await look()
    const result = await tick(parts, options)
    await look()
    await this.#insides.audit.anchors.anchor()
    return failed.length > 0 ? { ...result, failed: [...failed, ...result.failed] } : result
  }

  /**
   * Calls {@link tick} every `intervalMs` milliseconds (default 1,000) until the returned function is called or the kernel is closed.
   * Its timer keeps the process alive. What a tick could not do stays due and is tried again at the next.
   */
  start(options: StartOptions = {}): () => void {
    return startTicking(this.#insides.host.clock, () => this.tick(), options.intervalMs ?? 1000, this.#insides.closed.signal)
  }

  /**
   * Resolves when every request that begins from then on, in whatever process that shares the store, sees all that was committed before the
   * call. What began earlier may still end by what it knew. No other process is asked: it takes `cache.staleness_ms` of the clock and a
   * hundredth more, after which nobody may go by anything older without asking the store. So all of them have to have the same bound, and
   * with a clock of your own that time has to be let pass. Before that, and alone on a storage that nobody else writes to, it waits for
   * what this kernel writes on its own account: reservations of encryptions.
   * @throws KernelError 503 when sealed, TypeError when closed, also meanwhile.
   */
  async settled(): Promise<void> {
    const { closed, gate, host } = this.#insides
    gate.check()
    await host.counters.idle()
    await host.freshness.settled(closed.signal)
  }

  /**
   * How this kernel stands among those that share its store: who works on what, how much is due, how old what it holds in memory may be.
   * Asks the store; costs the same whatever it holds. Never shows a secret. Answers in every state, with less.
   * @throws KernelError 503 when the store cannot be asked.
   */
  status(): Promise<KernelStatus> {
    return statusOf(this.#insides)
  }

  /**
   * The whole store as a stream of bytes, of one moment, while it is used: see {@link backupStorage}. Needs no key, so it works sealed, too.
   * `restoreStorage(source, storage)` makes a store of it again, which a kernel with the same seal opens.
   * @throws TypeError when closed.
   */
  backup(options: LongWorkOptions<BackupProgress> = {}): AsyncGenerator<Uint8Array, void, undefined> {
    const { gate, host } = this.#insides
    if (gate.state === 'closed') throw new TypeError('the kernel is closed')
    return backupStorage(host.store.storage, { ...options, clock: host.clock })
  }

  /** Idempotent: waits for running requests, gives back claims and what is left of reservations, wipes every key. The storage stays open: it is the caller's. */
  close(): Promise<void> {
    this.#closing ??= shutDown(this.#insides, () => this.#upkeep.tell())
    return this.#closing
  }

  /** Nothing but the state: a kernel in a log shows no secret. */
  toJSON(): ShownKernel {
    return { state: this.seal.state }
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `Kernel { state: '${this.seal.state}' }`
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/** A kernel with all engines of this package. */
export type Kernel = KernelOf<typeof OURS>
/** The same as seen from a namespace, or by a token. */
export type KernelView = BaseView<FacadesOf<typeof OURS>, TokenFacadesOf<typeof OURS>> & FacadesOf<typeof OURS>
/** What a token may do. */
export type TokenView = TokenViewOf<FacadesOf<typeof OURS>, TokenFacadesOf<typeof OURS>>

/** A kernel of chosen engines. */
export type KernelOf<E extends readonly EngineValue[]> = KernelCore<FacadesOf<E>, TokenFacadesOf<E>> & FacadesOf<E>

/** @internal */
export async function composeKernel(
  options: KernelOptions,
  engines: readonly Engine[],
  system: Engine,
  mounts: readonly InitialMount[],
): Promise<{ readonly kernel: Kernel; readonly insides: Insides }> {
  checkOptions(options, portsOf(engines))
  const { unauthenticated = {} } = options
  const served = (engine: Engine): Engine => asServed(engine, unauthenticated)
  const insides = assemble(options, engines.map(served), served(system), tracer)
  const sealing = new Sealing(insides, mounts)
  install(insides, sealing)
  await upgradeFormat(insides.host.store, false)
  await sealing.start(options.initialize === true)
  const { Kernel, kinds } = withFacades(KernelCore, engines)
  return { kernel: new Kernel(insides, sealing, kinds) as Kernel, insides }
}

/** What the parts of a kernel learn from each other once it is put together. */
function install(insides: Insides, sealing: Sealing): void {
  const { host, topology, authority, salt, audit, call, gate, keeper } = insides
  followOthers(insides)
  const { env } = host
  TOPOLOGY.install(env, topology)
  AUTHORITY.install(env, authority)
  TOKEN_SALT.install(env, salt)
  AUDIT.install(env, audit)
  LEASES.install(env, new LeaseRunner(host, call))
  ATTEMPTS.install(env, new ShareAttempts({ keeper, recipients: sealing.recipients, host, topology, call }))
  WRONG_SIGNATURES.install(env, new Allowance(host.clock, WRONG_SIGNATURES_PER_SECOND))
  const storage = host.store.storage.caps
  CONTROLS.install(env, { state: () => gate.state, sealing, cluster: () => insides.cluster, storage })
}
