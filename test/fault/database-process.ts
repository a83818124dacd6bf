/** A kernel as one process of several on a store and a database: it can be held or killed at any call that it makes. */

import { nodeCrypto } from '../../src/adapters/crypto-node/index.ts'
import type { DatabaseConnection } from '../../src/engines/database/port.ts'
import { createKernel, type Kernel, keySeal, type Op, type Storage } from '../../src/index.ts'
import type { DatabaseCall, FakeClock, FakeDatabasePlugin } from '../../src/testing/index.ts'
import { interceptedStorage } from '../../src/testing/intercepted-storage.ts'

const SEAL = keySeal(new Uint8Array(32).fill(18))
/** Of any tick: five deadlines. */
const LONGEST_TICK_MS = 75_000

/** A call that a process makes: of the database by its name there, of the store as `commit` or `read`. */
export interface Point {
  readonly call: DatabaseCall | 'commit' | 'read'
  readonly when: 'before' | 'after'
}

/** What is waited for at a point. */
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
  readonly database: FakeDatabasePlugin
  /** Of the kernel that made the store, where another one did. */
  readonly rootToken?: string
  /** What leaves the kernel: refusals, events, entries of the audit log, results of ticks. */
  readonly hear: (told: unknown) => void
  /** Passwords that the database is told. */
  readonly keep: (secret: unknown) => void
  /** Until `work` has ended; rejects after `most` milliseconds. */
  readonly drive: <T>(clock: FakeClock, work: Promise<T>, most?: number) => Promise<T>
}

interface Life {
  dead: boolean
  commits: number
  hook: Hook | undefined
  /** What it has opened. */
  readonly open: Set<DatabaseConnection>
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
    const { clock, hear, drive } = surroundings
    const life: Life = { dead: false, commits: 0, hook: undefined, open: new Set() }
    const opening = createKernel({
      storage: watched(surroundings.storage, life),
      clock,
      crypto: nodeCrypto(),
      seal: SEAL,
      initialize: true,
      // Every look at the records is a call, at which it can be held.
      cache: { stalenessMs: 0 },
      ports: { databases: { fake: pluginOf(surroundings, life) }, audit: { sinks: { main: hear } } },
    })
    const kernel = await drive(clock, opening)
    kernel.events.on('*', hear)
    return new Process(kernel, surroundings, life)
  }

  /** From now on it is asked at every point. */
  at(hook: Hook | undefined): void {
    this.#life.hook = hook
  }

  /** Commits of work that took effect. */
  get commits(): number {
    return this.#life.commits
  }

  /** It gets to do nothing more, and its connections end. */
  async die(): Promise<void> {
    this.#life.dead = true
    for (const connection of this.#life.open) await connection.close()
  }

  async ask(method: string, path: string, body: object = {}, token = this.rootToken): Promise<Answer> {
    const { status, body: answer } = await this.kernel.handle({
      method,
      path: `/v1/${path}`,
      headers: { 'X-Service-Token': token },
      ...(method === 'POST' && { body: { ...body } }),
    })
    if (status >= 400) this.#surroundings.hear(answer)
    return { ...(answer as Omit<Answer, 'status'>), status }
  }

  /** One tick, which nothing may hold for longer than a few deadlines. */
  async tick() {
    const { hear, drive } = this.#surroundings
    const result = await drive(this.clock, this.kernel.tick(), LONGEST_TICK_MS)
    hear([result, result.failed.map(({ error }) => error.message)])
    return result
  }
}

/** The dead wait for ever. */
async function point(at: Point, life: Life): Promise<void> {
  if (!life.dead) await life.hook?.(at)
  if (life.dead) await new Promise<never>(() => {})
}

/** Claims, and how often its keys were used: every process has its own. */
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

function pluginOf({ database: inner, keep }: Surroundings, life: Life): Omit<FakeDatabasePlugin, 'users' | 'open' | 'calls'> {
  const asked = async <T>(call: DatabaseCall, signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    await point({ call, when: 'before' }, life)
    // An adapter sends nothing once it was told to stop.
    signal.throwIfAborted()
    const value = await work()
    await point({ call, when: 'after' }, life)
    return value
  }
  return {
    ...inner,
    async connect(details, signal) {
      keep(details['password'])
      const connection = await asked('connect', signal, async () => {
        const made = await inner.connect(details, signal)
        life.open.add(made)
        // It died while the connection was being made.
        if (life.dead) await made.close()
        return made
      })
      return {
        ...connection,
        createUser(user, own) {
          if (user.credential.type === 'password') keep(user.credential.password)
          return asked('createUser', own, () => connection.createUser(user, own))
        },
        updateUser(change, own) {
          if (change.credential?.type === 'password') keep(change.credential.password)
          return asked('updateUser', own, () => connection.updateUser(change, own))
        },
        deleteUser: (user, own) => asked('deleteUser', own, () => connection.deleteUser(user, own)),
      }
    },
  }
}
