/** A kernel that represents one of several processes on a store and a cloud. It can be held or killed at each of its calls. */

import { nodeCrypto } from '../../src/adapters/crypto-node/index.ts'
import type { CloudClient, CloudProvider } from '../../src/engines/cloud/port.ts'
import { createKernel, type Kernel, keySeal, type Op, type Storage } from '../../src/index.ts'
import type { CloudCall, FakeClock } from '../../src/testing/index.ts'
import { interceptedStorage } from '../../src/testing/intercepted-storage.ts'

const SEAL = keySeal(new Uint8Array(32).fill(18))
/** A tick takes less: an effect of this engine has 30 seconds in total, and the next effect finishes what it leaves. */
const MAX_TICK_MS = 120_000

/** A call of a process: the method name for the cloud, `commit` or `read` for the store. */
export interface Point {
  readonly call: CloudCall | 'commit' | 'read'
  readonly when: 'before' | 'after'
}

/** The process waits for the hook at each call. */
export type Hook = (point: Point) => Promise<void> | void

export interface Answer {
  readonly status: number
  readonly data: Readonly<Record<string, unknown>> | null
  readonly lease_id: string
  readonly lease_duration: number
}

export interface Surroundings {
  readonly storage: Storage
  readonly clock: FakeClock
  readonly provider: CloudProvider
  /** The root token of the kernel that initialized the store, if that was another one. */
  readonly rootToken?: string
  /** Receives everything that leaves the kernel: errors, events, audit entries and results of ticks. */
  readonly record: (message: unknown) => void
  /** Receives each secret that the cloud returns. */
  readonly keep: (secret: unknown) => void
  /** Advances the clock until `work` has ended; rejects after `most` milliseconds. */
  readonly drive: <T>(clock: FakeClock, work: Promise<T>, most?: number) => Promise<T>
}

interface Life {
  dead: boolean
  commits: number
  hook: Hook | undefined
}

export class Process {
  readonly kernel: Kernel
  readonly clock: FakeClock
  readonly rootToken: string
  readonly #surroundings: Surroundings
  readonly #life: Life

  private constructor(kernel: Kernel, surroundings: Surroundings, life: Life) {
    this.kernel = kernel
    this.clock = surroundings.clock
    this.rootToken = surroundings.rootToken ?? kernel.rootToken ?? ''
    this.#surroundings = surroundings
    this.#life = life
  }

  static async start(surroundings: Surroundings): Promise<Process> {
    const { clock, record, drive } = surroundings
    const life: Life = { dead: false, commits: 0, hook: undefined }
    const opening = createKernel({
      storage: watched(surroundings.storage, life),
      clock,
      crypto: nodeCrypto(),
      seal: SEAL,
      initialize: true,
      // Each use of cached records calls the store, so that the process can be held there.
      cache: { stalenessMs: 0 },
      ports: { cloud: watchedProvider(surroundings, life), audit: { sinks: { main: record } } },
    })
    const kernel = await drive(clock, opening)
    kernel.events.on('*', record)
    return new Process(kernel, surroundings, life)
  }

  /** Calls the hook at every later call of the process. */
  at(hook: Hook | undefined): void {
    this.#life.hook = hook
  }

  /** The number of its commits that took effect, without those for claims and key counters. */
  get commits(): number {
    return this.#life.commits
  }

  /** Stops the process: none of its later calls or results takes effect. */
  die(): void {
    this.#life.dead = true
  }

  async ask(method: string, path: string, body: object = {}, token = this.rootToken): Promise<Answer> {
    const { status, body: answer } = await this.kernel.handle({
      method,
      path: `/v1/${path}`,
      headers: { 'X-Service-Token': token },
      ...(method === 'POST' && { body: { ...body } }),
    })
    if (status >= 400) this.#surroundings.record(answer)
    return { ...(answer as Omit<Answer, 'status'>), status }
  }

  /** Runs one tick, which must not take longer than a few deadlines. */
  async tick() {
    const { record, drive } = this.#surroundings
    const result = await drive(this.clock, this.kernel.tick(), MAX_TICK_MS)
    record([result, result.failed.map(({ error }) => error.message)])
    return result
  }
}

/** A dead process waits forever. */
async function point(at: Point, life: Life): Promise<void> {
  if (!life.dead) await life.hook?.(at)
  if (life.dead) await new Promise<never>(() => {})
}

/** Claims and encryption counters, which every process writes by itself. */
const isUpkeep = (op: Op): boolean => 'key' in op && op.key.startsWith('i/')

function watched(inner: Storage, life: Life): Storage {
  const counted: Storage = {
    ...inner,
    async commit(ops, id) {
      const verdict = await inner.commit(ops, id)
      if (verdict.ok && !ops.every(isUpkeep)) life.commits++
      return verdict
    },
  }
  return interceptedStorage(counted, {
    async around(method, work) {
      if (method === 'watch') return work()
      const call = method === 'commit' ? 'commit' : 'read'
      await point({ call, when: 'before' }, life)
      const value = await work()
      await point({ call, when: 'after' }, life)
      return value
    },
    listener: (onChange) => (change) => {
      if (!life.dead) onChange(change)
    },
    close: async () => {},
  })
}

/** The members of an answer that must not appear anywhere else. */
const SECRETS = ['secretAccessKey', 'sessionToken'] as const

function watchedProvider({ provider, keep }: Surroundings, life: Life): CloudProvider {
  const watchedClient = (client: CloudClient): CloudClient =>
    new Proxy(client, {
      get(target, name) {
        const method = Reflect.get(target, name)
        if (typeof method !== 'function' || name === 'close') return method
        return async (request: unknown, signal: AbortSignal) => {
          const call = name as CloudCall
          await point({ call, when: 'before' }, life)
          // An adapter sends nothing after its signal was aborted.
          signal.throwIfAborted()
          const answer: unknown = await method.call(target, request, signal)
          for (const secret of SECRETS) keep((answer as Readonly<Record<string, unknown>> | undefined)?.[secret])
          await point({ call, when: 'after' }, life)
          return answer
        }
      },
    })
  return {
    ...(provider.ambient !== undefined && { ambient: provider.ambient }),
    connect(settings) {
      keep(settings.secretKey)
      return watchedClient(provider.connect(settings))
    },
  }
}
