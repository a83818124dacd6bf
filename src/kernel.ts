/**
 * The composition root: options and engines become a kernel. Imported by index.ts and dev-kernel.ts only.
 */

import { assemble, type Insides } from './core/assemble.ts'
import { startTicking, type TickOptions, type TickResult, tick } from './core/due/tick.ts'
import { open, seal, shutDown, start } from './core/lifecycle.ts'
import { checkOptions, type KernelOptions } from './core/options.ts'
import type { KernelState } from './core/request/gate.ts'
import type { KernelRequest, KernelResponse } from './core/request/request.ts'
import { ENGINES, FRESH_MOUNTS, SYSTEM } from './engines.ts'
import { KernelView } from './kernel-view.ts'
import { workerOf } from './workers.ts'

/** Sealing of this process. */
export interface SealControl {
  readonly state: KernelState
  /** Wipes every key from memory. Running requests end with the keys they hold; later ones are refused with 503. */
  seal(): Promise<void>
  /** Asks the seal again. Nothing happens when the kernel is open. */
  unseal(): Promise<void>
}

/**
 * A secrets kernel. Make one with {@link createKernel}. All methods may be called concurrently; arguments are copied where a call cannot
 * finish at once; what is returned belongs to the caller. Its facades act with the application's own authority: no token, no policy.
 */
export class Kernel extends KernelView implements AsyncDisposable {
  readonly seal: SealControl
  readonly #insides: Insides
  readonly #rootToken: string | undefined
  #ticking: Promise<TickResult> | undefined
  #closing: Promise<void> | undefined

  /** @internal */
  constructor(insides: Insides, rootToken: string | undefined) {
    super(insides, { namespace: '', bearer: undefined })
    this.#insides = insides
    this.#rootToken = rootToken
    this.seal = sealControl(insides)
  }

  /** Only on the kernel that initialised the store, and kept nowhere else: write it down or lose it. */
  get rootToken(): string | undefined {
    return this.#rootToken
  }

  /**
   * The path-addressed API of the spec. Never rejects: a refusal is an answer with `errors`. What a request may do is up to the policies of
   * its token, in the token header or as a bearer.
   */
  handle(request: KernelRequest): Promise<KernelResponse> {
    return this.#insides.pathView.handle(request)
  }

  /**
   * Does the background work that is due: rotations, revocations, what deletions left. One run at a time; a call during a run joins it.
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
    return tick(parts, options)
  }

  /**
   * Calls {@link tick} every `intervalMs` milliseconds (default 1,000) until the returned function is called or the kernel is closed.
   * Its timer keeps the process alive. What a tick could not do stays due and is tried again at the next.
   */
  start(options: { readonly intervalMs?: number } = {}): () => void {
    return startTicking(this.#insides.host.clock, () => this.tick(), options.intervalMs ?? 1000, this.#insides.closed.signal)
  }

  /** Idempotent: waits for running requests, gives back claims and what is left of reservations, wipes every key. The storage stays open: it is the caller's. */
  close(): Promise<void> {
    this.#closing ??= shutDown(this.#insides)
    return this.#closing
  }

  /** Nothing but the state: a kernel in a log shows no secret. */
  toJSON(): { readonly state: KernelState } {
    return { state: this.seal.state }
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `Kernel { state: '${this.seal.state}' }`
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/**
 * Opens a kernel on a storage. On a fresh one, with `initialize: true`, it writes a new key ring and the conventional mounts and has a
 * `rootToken`; an existing one is unsealed by its seal.
 * @throws TypeError for wrong options; KernelError when the seal does not open the store or the store cannot be read.
 */
export async function createKernel(options: KernelOptions): Promise<Kernel> {
  checkOptions(options)
  const insides = assemble(options, ENGINES, SYSTEM)
  const rootToken = await start(insides, options.initialize === true, FRESH_MOUNTS)
  return new Kernel(insides, rootToken)
}

function sealControl(insides: Insides): SealControl {
  return {
    get state() {
      return insides.gate.state
    },
    async seal() {
      seal(insides)
    },
    async unseal() {
      if (insides.gate.state === 'sealed' || insides.opening) await open(insides)
    },
  }
}
