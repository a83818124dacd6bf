/** Decides when to check for changes: immediately if the server notifies, every few milliseconds otherwise. */
import type { Revision } from '../../core/storage/port.ts'
import { type ConnectionSource, closeSession, deadlineIn, openSession, type Session } from './connections.ts'
import { connectionLost } from './failures.ts'

export interface NotificationListenerOptions {
  readonly source: ConnectionSource
  readonly timeoutMs: number
  readonly channel: string
  /** The polling interval if the server sends no notifications. */
  readonly pollMs: number
  /**
   * The polling interval if the server sends notifications. Polling is still needed, because a notification may be lost, and a connection
   * may fail without an error.
   */
  readonly heartbeatMs: number
  look(): Promise<void>
  /** The latest revision seen. */
  revision(): Revision
}

/** After this many heartbeats in a row that found changes without a notification, the connection counts as dead. */
const MAX_MISSED_BEATS = 3

/** After this many dead connections in a row, the listener assumes that the server sends no notifications, and polls. */
const MAX_DEAD_CONNECTIONS = 2

/** Listens on the connection that is also used for reads. */
export class Listener {
  readonly #options: NotificationListenerOptions
  #session: Session | undefined
  #refused = false
  #stopped = false
  #timer: NodeJS.Timeout | undefined
  #heard = 0
  #missed = 0
  #dead = 0

  constructor(options: NotificationListenerOptions) {
    this.#options = options
  }

  /** Whether the server notifies of commits. */
  get listening(): boolean {
    return this.#session !== undefined
  }

  async start(): Promise<void> {
    await this.#listen()
    await this.#options.look()
    this.#plan()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
    this.#drop()
  }

  #drop(): void {
    const session = this.#session
    this.#session = undefined
    // End the connection: other users of the pool must not get one that listens.
    if (session) closeSession(session, false)
  }

  /**
   * Begins to listen, and sends itself a notification to test whether the server supports LISTEN and NOTIFY. Some servers that do not
   * support them answer with a warning instead of an error.
   */
  async #listen(): Promise<void> {
    if (this.#refused || this.#session || this.#stopped) return
    const { source, timeoutMs, channel, look } = this.#options
    const session = await openSession(source, deadlineIn(timeoutMs))
    let heard = false
    try {
      session.client.on('notification', () => {
        heard = true
        if (this.#session !== session) return
        this.#heard++
        this.#dead = 0
        look().catch(() => undefined)
      })
      session.client.on('error', () => {
        if (this.#session !== session) return
        this.#session = undefined
        closeSession(session, false)
        this.#soon()
      })
      await session.run(`LISTEN "${channel}"`)
      await session.run(`NOTIFY "${channel}"`)
      await session.run('SELECT 1')
    } catch (error) {
      closeSession(session, false)
      if (connectionLost(error)) throw error
      this.#refused = true
      return
    }
    this.#refused = !heard
    if (heard && !this.#stopped) this.#session = session
    else closeSession(session, false)
  }

  #plan(): void {
    if (this.#stopped) return
    const { pollMs, heartbeatMs } = this.#options
    this.#timer = setTimeout(() => void this.#beat(), this.#refused ? pollMs : heartbeatMs)
    this.#timer.unref()
  }

  /** Schedules a check soon after a lost connection, instead of waiting for the next heartbeat. */
  #soon(): void {
    clearTimeout(this.#timer)
    if (!this.#stopped) this.#timer = setTimeout(() => void this.#beat(), this.#options.pollMs).unref()
  }

  async #beat(): Promise<void> {
    const { look, revision } = this.#options
    try {
      await this.#listen()
      const [heard, seen] = [this.#heard, revision()]
      await look()
      this.#doubt(this.#heard === heard && revision() > seen)
    } catch {
      // The server is unreachable. The next heartbeat tries again.
    }
    this.#plan()
  }

  /**
   * Counts heartbeats that found changes without a notification. A single missing notification may still be in flight, or its sender may
   * have died. Several in a row mean a dead connection.
   */
  #doubt(missed: boolean): void {
    this.#missed = missed && this.listening ? this.#missed + 1 : 0
    if (this.#missed < MAX_MISSED_BEATS) return
    this.#missed = 0
    this.#refused = ++this.#dead >= MAX_DEAD_CONNECTIONS
    this.#drop()
  }
}
