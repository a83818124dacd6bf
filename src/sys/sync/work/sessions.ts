/**
 * The sessions with external stores that a kernel has open: one for each destination, made at first use.
 */
import type { Environment } from '../../../core/contract/tx.ts'
import { TOPOLOGY } from '../../../core/mount/topology.ts'
import { mayUseCredentials } from '../destination/ambient.ts'
import { SYNC_FAILURES, type SyncSession } from '../port.ts'
import { storeOf } from '../ports.ts'
import { type Destination, readDestinationId } from '../records.ts'

interface Line {
  readonly generation: string
  readonly session: SyncSession
  /** Who is asking it something. */
  users: number
  /** Closed when nobody is. */
  retired: boolean
}

const METHODS = ['put', 'remove', 'close'] as const

const ALL = /* @__PURE__ */ new WeakMap<Environment, Sessions>()

export class Sessions {
  readonly #env: Environment
  readonly #lines = new Map<string, Line>()
  /** Destinations that did not answer, or asked to wait, by tick. */
  readonly #resting = new WeakMap<object, Set<string>>()

  private constructor(env: Environment) {
    this.#env = env
    env.closing.addEventListener('abort', () => {
      for (const id of [...this.#lines.keys()]) this.forget(id)
    })
  }

  static of(env: Environment): Sessions {
    const known = ALL.get(env)
    if (known) return known
    const made = new Sessions(env)
    ALL.set(env, made)
    return made
  }

  /** @throws KernelError, or whatever the store throws, where there is no session to be had. */
  async use<T>(id: string, record: Destination, work: (session: SyncSession) => Promise<T>): Promise<T> {
    const line = this.#opened(id, record)
    line.users++
    try {
      return await work(line.session)
    } finally {
      line.users--
      if (line.retired) this.#retire(line)
    }
  }

  /** Closes what is open to a destination. Whoever is asking it something comes to an end first. */
  forget(id: string): void {
    const line = this.#lines.get(id)
    this.#lines.delete(id)
    if (line) this.#retire(line)
  }

  /** In this tick the destination is asked nothing more. */
  rest(id: string, tick: object | undefined): void {
    if (!tick) return
    const resting = this.#resting.get(tick) ?? new Set()
    resting.add(id)
    this.#resting.set(tick, resting)
  }

  rests(id: string, tick: object | undefined): boolean {
    return tick !== undefined && this.#resting.get(tick)?.has(id) === true
  }

  #opened(id: string, record: Destination): Line {
    try {
      return this.#line(id, record)
    } catch (thrown) {
      if (isFailure(thrown)) throw thrown
      // The store was not asked.
      throw Object.assign(new Error('there is no session'), { kind: 'internal' })
    }
  }

  #line(id: string, { generation, config, ambient_in }: Destination): Line {
    const known = this.#lines.get(id)
    if (known?.generation === generation) return known
    const { type, namespace } = readDestinationId(id)
    const store = storeOf(this.#env, type)
    const path = TOPOLOGY.of({ env: this.#env }).namespaces.byUuid(namespace)?.path ?? ambient_in
    // The option of the adapter may be another one than when the destination was written.
    if (!mayUseCredentials(store, config, path)) throw clientFailure()
    const session = whole(store.open(config))
    if (known) this.#retire(known)
    const line: Line = { generation, session, users: 0, retired: false }
    this.#lines.set(id, line)
    return line
  }

  #retire(line: Line): void {
    line.retired = true
    if (line.users > 0) return
    // How a session ends that nobody needs any more is of no interest.
    void (async () => line.session.close())().catch(() => {})
  }
}

const clientFailure = (): Error => Object.assign(new Error('the namespace may not use these credentials'), { kind: 'client' })

const isFailure = (thrown: unknown): boolean =>
  SYNC_FAILURES.some((kind) => kind === ((thrown ?? {}) as { readonly kind?: unknown }).kind)

/** @throws TypeError for what is no session. */
function whole(session: SyncSession): SyncSession {
  if (METHODS.every((name) => typeof (session as Partial<SyncSession> | undefined)?.[name] === 'function')) return session
  throw new TypeError('open: returned something that is no session')
}
