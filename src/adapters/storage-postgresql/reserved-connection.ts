/**
 * A connection that the storage reserves from the pool. With it the storage can work while the application's transactions use all other
 * connections: those transactions may be waiting for the storage. The connection is reserved while the store is watched, and is then
 * returned to the pool. Every open kernel watches its store.
 *
 * While the reserved connection is in use, the storage also takes other connections from the pool, but only free ones. So it never waits
 * for the application to return a connection.
 */
import type { ConnectionSource } from './connections.ts'
import type { PgPool, PgPoolClient } from './driver.ts'

type ErrorListener = (error: Error) => void

/** Whether the pool has a free connection. False if the pool does not report the numbers of its connections. */
function hasRoom({ idleCount, totalCount, waitingCount, options }: PgPool): boolean {
  const max = options?.max
  if (idleCount === undefined || totalCount === undefined || waitingCount === undefined || !max) return false
  return idleCount + max - totalCount > waitingCount
}

/** A connection that executes one query after the other. */
interface HeldClient {
  readonly client: PgPoolClient
  readonly failed: ErrorListener
  last: Promise<unknown>
}

export class ReservedConnection implements ConnectionSource {
  readonly #pool: PgPool
  readonly #forMany: boolean
  readonly #listeners = new Set<{ readonly listener: ErrorListener }>()
  readonly #waiting: (() => void)[] = []
  #own: HeldClient | undefined
  #asking: Promise<HeldClient> | undefined
  #users = 0
  #kept = false
  #closed = false

  /**
   * @param forMany Whether several callers may use the connection at the same time. Only for single statements, which the connection
   * executes one after the other.
   */
  constructor(pool: PgPool, forMany: boolean) {
    this.#pool = pool
    this.#forMany = forMany
  }

  get ending(): boolean {
    return this.#pool.ending === true
  }

  /** Sets whether the connection stays reserved while it is idle. */
  keep(kept: boolean): void {
    this.#kept = kept
    this.#rest()
  }

  /** Takes the connection from the pool, unless that has happened already. */
  async hold(): Promise<HeldClient> {
    if (this.#own) return this.#own
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  async connect(): Promise<PgPoolClient> {
    if (this.#users > 0 && hasRoom(this.#pool)) return this.#pool.connect()
    if (this.#users > 0 && !this.#forMany) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#users++
    try {
      return this.#lend(await this.hold())
    } catch (error) {
      this.#leave()
      throw error
    }
  }

  /**
   * Returns the connection to the pool if it is `usable`, and ends it otherwise. A connection is usable if the storage has left no state on
   * it, such as LISTEN.
   */
  close(usable: boolean): void {
    this.#closed = true
    const own = this.#own
    this.#own = undefined
    if (usable) own?.client.removeListener('error', own.failed)
    own?.client.release(!usable)
  }

  async #ask(): Promise<HeldClient> {
    const client = await this.#pool.connect()
    if (this.#closed) {
      client.release()
      throw new TypeError('the storage is closed')
    }
    const failed: ErrorListener = (error) => {
      if (this.#own !== own) return
      this.#drop(own)
      for (const { listener } of [...this.#listeners]) listener(error)
    }
    const own: HeldClient = { client, failed, last: Promise.resolve() }
    client.on('error', failed)
    this.#own = own
    this.#rest()
    return own
  }

  /**
   * Ends a failed connection. Its error listener remains, because the connection may still emit an error. Requests a new connection
   * immediately, before the application takes the next free one.
   */
  #drop(own: HeldClient): void {
    if (this.#own !== own) return
    this.#own = undefined
    own.client.release(true)
    if (this.#kept && !this.#closed)
      this.hold().catch(() => {
        // The next caller requests a connection again.
      })
  }

  /** Ends one use. If callers are waiting, the one that has waited longest gets the connection. */
  #leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#users--
    this.#rest()
  }

  /** Returns the connection to the pool if it is unused and not to be kept. */
  #rest(): void {
    const own = this.#own
    if (!own || this.#kept || this.#users > 0) return
    this.#own = undefined
    own.client.removeListener('error', own.failed)
    own.client.release()
  }

  #lend(own: HeldClient): PgPoolClient {
    const { client } = own
    const lent: { readonly listener: ErrorListener }[] = []
    return {
      query: (text, values) => {
        const answer = own.last.then(() => (values ? client.query(text, values) : client.query(text)))
        own.last = answer.catch(() => undefined)
        return answer
      },
      release: (destroy) => {
        for (const one of lent) this.#listeners.delete(one)
        if (destroy) this.#drop(own)
        this.#leave()
      },
      // The connection has one error listener for all users, because Node warns about emitters with many listeners.
      on: (event: string, listener: never) => {
        if (event !== 'error') return client.on(event as 'notification', listener)
        const one = { listener }
        lent.push(one)
        return this.#listeners.add(one)
      },
      removeListener: (event, listener) => {
        // Error listeners are removed by `release`.
        if (event !== 'error') client.removeListener(event, listener)
      },
    }
  }
}
