/**
 * A pool of a driver that follows its credentials: another login means another pool, and the former one ends behind its last user.
 */

export interface Login {
  readonly username: string
  readonly password: string
}

/** Who knows what to log in with: `kernel.database.credentialSource(…)`. */
export interface LoginSource {
  current(): Promise<Login>
  refresh(): Promise<Login>
  onChange(listener: (login: Login) => void): () => void
}

/** A driver's pools, `P`, of connections, `C`. */
export interface PoolDriver<P, C> {
  readonly name: string
  open(login: Login): P
  connect(pool: P): Promise<C>
  /** Whether the server has refused the login. */
  refused(error: unknown): boolean
  end(pool: P): Promise<unknown>
}

export interface LentConnection<C> {
  readonly connection: C
  /** Called when the driver has it back. */
  readonly done: () => void
}

interface LoginPool<P> {
  readonly login: Login
  readonly pool: P
  /** Who has a connection or waits for one. */
  users: number
  retired: boolean
}

/** A password is changed at the server a moment before anybody is told of it: 25 ms, twice as long each time, some 3 s together. */
const FIRST_PAUSE_MS = 25
const MAX_ATTEMPTS = 8

export class SwappingPool<P, C> {
  readonly #driver: PoolDriver<P, C>
  readonly #source: LoginSource
  readonly #stop: () => void
  /** Former pools that are coming to their end. */
  readonly #ends = new Set<Promise<unknown>>()
  /** The current pool and the former ones that still have users. */
  readonly #open = new Set<P>()
  #held: LoginPool<P> | undefined
  #ended: Promise<void> | undefined
  #onQuiet: (() => void) | undefined
  /** Retired pools that are still used. */
  #draining = 0

  constructor(driver: PoolDriver<P, C>, source: LoginSource) {
    this.#driver = driver
    this.#source = source
    this.#stop = source.onChange((login) => void this.#follow(login))
  }

  /**
   * A connection of the pool as it is now. A login that the server refuses is asked for anew.
   * @throws what the driver and the source throw; TypeError after `end`.
   */
  async take(): Promise<LentConnection<C>> {
    for (let tries = 1; ; tries++) {
      const held = this.#follow(await this.#source.current())
      held.users++
      try {
        const connection = await this.#driver.connect(held.pool)
        let over = false
        const done = (): void => {
          if (!over) this.#leave(held)
          over = true
        }
        return { connection, done }
      } catch (error) {
        this.#leave(held)
        if (!this.#driver.refused(error) || tries === MAX_ATTEMPTS) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** (tries - 1)))
      if (held === this.#held) await this.#source.refresh()
    }
  }

  /** A number summed over the current pool and those that still have users. */
  total(count: (pool: P) => number): number {
    let sum = 0
    for (const pool of this.#open) sum += count(pool)
    return sum
  }

  /** Waits for those who have a connection. Idempotent. */
  end(): Promise<void> {
    this.#ended ??= this.#end()
    return this.#ended
  }

  async #end(): Promise<void> {
    this.#stop()
    if (this.#held) this.#retire(this.#held)
    if (this.#draining > 0)
      await new Promise<void>((resolve) => {
        this.#onQuiet = resolve
      })
    await Promise.all(this.#ends)
  }

  #follow(login: Login): LoginPool<P> {
    if (this.#ended) throw new TypeError(`${this.#driver.name}: it has ended`)
    const held = this.#held
    if (held && held.login.username === login.username && held.login.password === login.password) return held
    this.#held = { login, pool: this.#driver.open(login), users: 0, retired: false }
    this.#open.add(this.#held.pool)
    if (held) this.#retire(held)
    return this.#held
  }

  #retire(held: LoginPool<P>): void {
    held.retired = true
    this.#draining++
    if (held.users === 0) this.#close(held)
  }

  #leave(held: LoginPool<P>): void {
    held.users--
    if (held.retired && held.users === 0) this.#close(held)
  }

  #close({ pool }: LoginPool<P>): void {
    this.#open.delete(pool)
    // Nobody needs it any more, so how it ends is of no interest.
    const end: Promise<unknown> = this.#driver
      .end(pool)
      .catch(() => undefined)
      .finally(() => this.#ends.delete(end))
    this.#ends.add(end)
    if (--this.#draining === 0) this.#onQuiet?.()
  }
}
