/** The sessions of a kernel with external stores. A kernel opens one session per destination, at the first call. */
import type { Environment } from '../../../core/contract/environment.ts'
import { oncePerKernel } from '../../../core/contract/once-per-kernel.ts'
import { TOPOLOGY } from '../../../core/mount/topology.ts'
import { mayUseProcessCredentials } from '../destination/ambient.ts'
import { SYNC_FAILURES, type SyncSession } from '../port.ts'
import { storeOf } from '../ports.ts'
import { readDestinationId, type SyncDestinationRecord } from '../records.ts'

interface OpenSession {
  readonly generation: string
  readonly session: SyncSession
  /** The number of calls in progress. */
  users: number
  /** Whether no new calls may use the session, so that it is closed when `users` is 0. */
  retired: boolean
}

const METHODS = ['put', 'remove', 'close'] as const

export class SyncSessions {
  readonly #env: Environment
  readonly #sessions = new Map<string, OpenSession>()
  /** For each tick, the ids of the destinations that did not respond or requested a pause. */
  readonly #paused = new WeakMap<object, Set<string>>()

  constructor(env: Environment) {
    this.#env = env
    env.closing.addEventListener('abort', () => {
      for (const id of [...this.#sessions.keys()]) this.closeSession(id)
    })
  }

  /** Calls `work` with the destination's session. @throws KernelError, or the error of the destination, if the session cannot be opened. */
  async use<T>(id: string, record: SyncDestinationRecord, work: (session: SyncSession) => Promise<T>): Promise<T> {
    const line = this.#opened(id, record)
    line.users++
    try {
      return await work(line.session)
    } finally {
      line.users--
      if (line.retired) this.#retire(line)
    }
  }

  /** Closes the session of a destination as soon as no call uses it. */
  closeSession(id: string): void {
    const line = this.#sessions.get(id)
    this.#sessions.delete(id)
    if (line) this.#retire(line)
  }

  /** Marks the destination as paused for the rest of the tick. */
  pause(id: string, tick: object | undefined): void {
    if (!tick) return
    const resting = this.#paused.get(tick) ?? new Set()
    resting.add(id)
    this.#paused.set(tick, resting)
  }

  isPaused(id: string, tick: object | undefined): boolean {
    return tick !== undefined && this.#paused.get(tick)?.has(id) === true
  }

  #opened(id: string, record: SyncDestinationRecord): OpenSession {
    try {
      return this.#currentSession(id, record)
    } catch (thrown) {
      if (isFailure(thrown)) throw thrown
      // The error is `internal`, because the call failed before it reached the external store.
      throw Object.assign(new Error('no session could be opened'), { kind: 'internal' })
    }
  }

  #currentSession(id: string, { generation, config, ambient_in }: SyncDestinationRecord): OpenSession {
    const known = this.#sessions.get(id)
    if (known?.generation === generation) return known
    const { type, namespace } = readDestinationId(id)
    const store = storeOf(this.#env, type)
    const path = TOPOLOGY.of({ env: this.#env }).namespaces.byUuid(namespace)?.path ?? ambient_in
    // Check again, because the application may have changed `ambient_namespaces` since the destination was written.
    if (!mayUseProcessCredentials(store, config, path)) throw clientFailure()
    const session = assertSession(store.open(config))
    if (known) this.#retire(known)
    const line: OpenSession = { generation, session, users: 0, retired: false }
    this.#sessions.set(id, line)
    return line
  }

  #retire(line: OpenSession): void {
    line.retired = true
    if (line.users > 0) return
    // Errors that occur while closing an unused session are ignored.
    void (async () => line.session.close())().catch(() => {})
  }
}

const clientFailure = (): Error => Object.assign(new Error('the namespace may not use these credentials'), { kind: 'client' })

const isFailure = (thrown: unknown): boolean =>
  SYNC_FAILURES.some((kind) => kind === ((thrown ?? {}) as { readonly kind?: unknown }).kind)

/** @throws TypeError for an invalid session. */
function assertSession(session: SyncSession): SyncSession {
  if (METHODS.every((name) => typeof (session as Partial<SyncSession> | undefined)?.[name] === 'function')) return session
  throw new TypeError('open: must return a session with the methods put, remove and close')
}

export const sessionsOf = /* @__PURE__ */ oncePerKernel((env) => new SyncSessions(env))
