/// <reference lib="esnext.disposable" preserve="true" />
/** The kernel object. */

import type { PackageEngines } from './conventional.ts'
import { combinedSignal } from './core/base/combined-signal.ts'
import { DeferredCode } from './core/base/deferred-code.ts'
import type { LongWorkOptions } from './core/base/progress.ts'
import type { Engine, EngineChoice } from './core/contract/engine.ts'
import type { KernelRequest, KernelResponse } from './core/contract/request.ts'
import { failedItem, reportItem } from './core/due/failed-item.ts'
import { type StartOptions, startOptions, tickOptions } from './core/due/start-options.ts'
import { startTicking } from './core/due/start-ticking.ts'
import type { TickOptions, TickResult } from './core/due/tick.ts'
import type { KernelState } from './core/exchange/gate.ts'
import type { KernelInternals } from './core/kernel/assemble.ts'
import { rememberInternals } from './core/kernel/kernel-internals.ts'
import { closeKernel } from './core/kernel/kernel-lifecycle.ts'
import { PathCalls } from './core/kernel/path-calls.ts'
import type { Sealing } from './core/kernel/sealing.ts'
import type { KernelStatus } from './core/kernel/status.ts'
import { KeyUseReporter } from './core/seal/key-use-reporter.ts'
import { type BackupProgress, backupStorage } from './core/storage/backup-calls.ts'
import { Events } from './events-view.ts'
import type { FacadesOf, ServicesOf, TokenFacadesOf } from './facades.ts'
import { KernelView as BaseView, type TokenView as TokenViewOf, type ViewKinds } from './kernel-view.ts'
import { RotationView, SealControl } from './seal-control.ts'
import { system } from './sys/index.ts'

/** The form in which a kernel appears in logs. */
export interface ShownKernel {
  /** The state of this process. */
  readonly state: KernelState
}

/**
 * A secrets kernel, made by {@link createKernel}. All methods may be called concurrently. Arguments are copied if a call cannot finish
 * immediately; results belong to the caller. Calls of the kernel's facades are trusted: they need no token, and no policy restricts them.
 */
export class KernelCore<F extends object, T extends object> extends BaseView<F, T> implements AsyncDisposable {
  /** Initializing, sealing and unsealing the kernel, and rotating the keys that encrypt the store. */
  readonly seal: SealControl
  /** The events of this kernel. */
  readonly events: Events
  readonly #internals: KernelInternals
  readonly #pathCalls: PathCalls
  readonly #keyUses: KeyUseReporter
  #ticking: Promise<TickResult> | undefined
  #closing: Promise<void> | undefined

  /** @internal @param served The engine that serves `sys/`. */
  constructor(internals: KernelInternals, sealing: Sealing, kinds: ViewKinds, served: Engine) {
    super(internals, { namespace: '', bearer: undefined }, kinds)
    this.#internals = internals
    rememberInternals(this, internals)
    this.seal = new SealControl(internals, sealing, this.view(RotationView, system.type, 'sys/'))
    this.#pathCalls = new PathCalls(internals, served)
    this.#keyUses = new KeyUseReporter(internals.keeper, internals.host)
    this.events = new Events(internals.host.events, internals.eventTypes)
  }

  /** The root token, present only on the kernel that initialized the store. It is not stored anywhere, so save it now if you need it. */
  get rootToken(): string | undefined {
    return this.#internals.rootToken
  }

  /**
   * Answers a call by path, as Vault's HTTP API does. Never rejects: an error is a response with `errors`. The policies of the request's
   * token decide whether the request is allowed. The token is read from the token header or from `Authorization: Bearer`.
   */
  handle(request: KernelRequest): Promise<KernelResponse> {
    return this.#pathCalls.handle(request)
  }

  /**
   * Checks a request without its body. An HTTP server uses it to refuse a request whose body has more than 1 MiB before it reads the body.
   * Resolves with the response if the request is refused whatever its body contains: the kernel is sealed, the token is invalid, or the
   * path needs no token (such paths refuse large bodies). Resolves with undefined if the response depends on the body: then read the body
   * and call {@link handle}. Does not count as a use of the token. Refusals are audited in the same way as those of `handle`.
   */
  precheck(request: Omit<KernelRequest, 'body'>): Promise<KernelResponse | undefined> {
    return this.#pathCalls.precheck(request)
  }

  /**
   * Does the background work that is due: rotations, revocations, deletions. Only one tick runs at a time: a call during a tick returns the
   * result of the running tick, and its options are ignored.
   * @throws KernelError 503 if the kernel is sealed; TypeError if the kernel is closed, or if an option is unknown.
   */
  async tick(options: TickOptions = {}): Promise<TickResult> {
    const { gate } = this.#internals
    gate.checkOpen()
    const checked = tickOptions(options)
    this.#ticking ??= gate.track(this.#tick(checked)).finally(() => {
      this.#ticking = undefined
    })
    return this.#ticking
  }

  async #tick(options: TickOptions): Promise<TickResult> {
    const { runTick } = await TICK.loaded()
    return runTick(this.#internals, this.#keyUses, options)
  }

  /**
   * Calls {@link tick} every `intervalMs` milliseconds (default 1,000) until the returned function is called or the kernel is closed. The
   * timer keeps the process alive unless `unref` is true. {@link tick} is not called while the kernel is sealed or not initialized. Failed
   * work remains due, and the next tick tries it again. Every failure causes an event `work.failed`, and {@link status} shows the failure
   * until the work succeeds.
   * @throws TypeError for an unknown option or an invalid value.
   * @example
   * const stop = kernel.start({ intervalMs: 1000, unref: true, onError: (error) => console.error(error) })
   */
  start(options: StartOptions = {}): () => void {
    const { host, closed, gate, backgroundServices } = this.#internals
    const tickFailed = (error: Error, next: number) =>
      reportItem(host, failedItem('tick', 'tick', error), { namespace: '', mount: '' }, { next })
    const stop = startTicking(
      {
        clock: host.clock,
        tick: () => this.tick(),
        isReady: () => gate.state === 'open',
        failed: tickFailed,
        succeeded: () => host.failures.done('tick', '', 'tick'),
        closed: closed.signal,
      },
      startOptions(options),
    )
    const over = new AbortController()
    const signal = combinedSignal(over.signal, closed.signal)
    backgroundServices.stream(signal)
    return () => {
      stop()
      over.abort()
    }
  }

  /**
   * Resolves when every change that was committed before this call is visible everywhere: every request that begins afterwards, in any
   * process that shares the store, uses the change. Requests that began earlier may still use older data.
   *
   * First waits for this kernel's own pending writes, which are reservations of encryptions. On a shared storage, it then waits for
   * `cache.stalenessMs` plus one percent, by the kernel's clock, without contacting other processes. After that time, no process may use
   * older data without asking the store. All processes must therefore have the same `cache.stalenessMs`, and an injected clock must advance.
   * @throws KernelError 503 if the kernel is sealed; TypeError if the kernel is closed before or during the wait.
   */
  async visibleEverywhere(): Promise<void> {
    const { closed, gate, host } = this.#internals
    gate.check()
    await host.counters.idle()
    await host.freshness.visibleEverywhere(closed.signal)
  }

  /**
   * Returns the state of this kernel and of the store that it shares: which processes have claims on background work, how much work is due,
   * and how old the caches may be. Reads from the store; the cost does not depend on the amount of data. The result contains no secrets.
   * Answers in every state, with less detail unless the kernel is unsealed.
   * @throws KernelError 503 if the store cannot be read.
   */
  status(): Promise<KernelStatus> {
    return STATUS.loaded().then(({ kernelStatusOf }) => kernelStatusOf(this.#internals))
  }

  /**
   * Returns the whole store as a stream of bytes. The backup shows the store at one moment, although it is made while the store is in use;
   * see {@link backupStorage}. Needs no key, so it also works while the kernel is sealed. `restoreStorage(source, storage)` writes a backup
   * to an empty storage. A kernel with the same seal can then open that storage.
   * @throws TypeError if the kernel is closed.
   */
  backup(options: LongWorkOptions<BackupProgress> = {}): AsyncGenerator<Uint8Array, void, undefined> {
    const { gate, host } = this.#internals
    if (gate.state === 'closed') throw new TypeError('the kernel is closed')
    return backupStorage(host.store.storage, { ...options, clock: host.clock })
  }

  /**
   * Waits for running requests, releases claims and unused reservations, and wipes every key. The storage remains open, because it belongs
   * to the caller. Idempotent.
   */
  close(): Promise<void> {
    this.#closing ??= closeKernel(this.#internals, () => this.#keyUses.report())
    return this.#closing
  }

  /** Returns only the state, so that a kernel in a log shows no secrets. */
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

const TICK = /* @__PURE__ */ new DeferredCode('background work', () => import('./run-tick.ts'))
const STATUS = /* @__PURE__ */ new DeferredCode('the status', () => import('./core/kernel/status.ts'))
/** A kernel with all engines of this package. */
export interface Kernel extends KernelOf<PackageEngines> {}
/** A kernel with all engines, restricted to a namespace or a token. */
export type KernelView = BaseView<FacadesOf<PackageEngines>, TokenFacadesOf<PackageEngines>> & FacadesOf<PackageEngines>
/** A kernel view restricted to a token. */
export type TokenView = TokenViewOf<FacadesOf<PackageEngines>, TokenFacadesOf<PackageEngines>>

/** A kernel with chosen engines and parts of `sys/`. */
export type KernelOf<E extends readonly EngineChoice[]> = KernelCore<FacadesOf<E>, TokenFacadesOf<E>> &
  FacadesOf<E> &
  ServicesOf<E>
