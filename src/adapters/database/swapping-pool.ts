export interface Login {
  readonly username: string
  readonly password: string
}

/** Provides the login, such as `kernel.database.credentialSource(…)`. */
export interface LoginSource {
  current(): Promise<Login>
  refresh(): Promise<Login>
  onChange(listener: (login: Login) => void): () => void
}

/** The functions of a database driver that {@link SwappingPool} calls. `P` is the type of its pools, `C` the type of their connections. */
export interface PoolDriver<P, C> {
  readonly name: string
  open(login: Login): P
  connect(pool: P): Promise<C>
  /** Whether the error means that the server refused the login. */
  refused(error: unknown): boolean
  end(pool: P): Promise<unknown>
}

export interface LentConnection<C> {
  readonly connection: C
  /** Must be called after the connection was released to the driver. */
  readonly done: () => void
}

interface LoginPool<P> {
  readonly login: Login
  readonly pool: P
  /** The number of callers that have a connection or wait for one. */
  users: number
  retired: boolean
}

/**
 * After a rotation, the server may have the new password shortly before the source returns it. So a refused login is tried again. The first
 * pause is 25 ms, and each further pause is twice as long: about 3 s for all 7 pauses together.
 */
const FIRST_PAUSE_MS = 25
const MAX_ATTEMPTS = 8

/**
 * A connection pool whose login can change. When the source returns another login, this pool opens a new driver pool, and closes the former
 * driver pool after the last caller has released its connection.
 */
export class SwappingPool<P, C> {
  readonly #driver: PoolDriver<P, C>
  readonly #source: LoginSource
  readonly #stop: () => void
  /** Former pools that are being closed. */
  readonly #ends = new Set<Promise<unknown>>()
  /** The current pool, and the former pools that callers still use. */
  readonly #open = new Set<P>()
  #held: LoginPool<P> | undefined
  #ended: Promise<void> | undefined
  #onQuiet: (() => void) | undefined
  /** The number of former pools that callers still use. */
  #draining = 0

  constructor(driver: PoolDriver<P, C>, source: LoginSource) {
    this.#driver = driver
    this.#source = source
    this.#stop = source.onChange((login) => void this.#follow(login))
  }

  /**
   * Takes a connection from the current pool. If the server refuses the login, the login is refreshed and the call tries again.
   * @throws Errors of the driver and the source; TypeError after `end`.
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

  /** Returns the sum of `count` over the current pool and the former pools that callers still use. */
  total(count: (pool: P) => number): number {
    let sum = 0
    for (const pool of this.#open) sum += count(pool)
    return sum
  }

  /** Closes all pools after their connections were released. Idempotent. */
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
    if (this.#ended) throw new TypeError(`${this.#driver.name}: the pool has ended`)
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
    // No caller uses the pool any more, so ignore an error of closing it.
    const end: Promise<unknown> = this.#driver
      .end(pool)
      .catch(() => undefined)
      .finally(() => this.#ends.delete(end))
    this.#ends.add(end)
    if (--this.#draining === 0) this.#onQuiet?.()
  }
}
