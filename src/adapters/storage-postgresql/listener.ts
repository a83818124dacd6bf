/**
 * Says when it is time to look for changes: at once where the server notifies, every few milliseconds where it does not.
 */
import type { Revision } from '../../core/storage/port.ts'
import { closeSession, deadlineIn, openSession, type Session, type Source } from './connections.ts'
import { connectionLost } from './failures.ts'

export interface ListenerOptions {
  readonly source: Source
  readonly timeoutMs: number
  readonly channel: string
  /** How often to look where nobody notifies. */
  readonly pollMs: number
  /** How often to look where somebody does: a notification may be lost, and a connection be dead without a word. */
  readonly heartbeatMs: number
  look(): Promise<void>
  /** What was seen so far. */
  revision(): Revision
}

/** Beats in a row that found something nobody had notified of, after which the connection is taken for dead. */
const MOST_MISSED = 3

/** Connections in a row that were taken for dead, after which the server is taken for one that does not notify. */
const MOST_DEAD = 2

/** It listens on the connection that reads use, too. */
export class Listener {
  readonly #options: ListenerOptions
  #session: Session | undefined
  #refused = false
  #stopped = false
  #timer: NodeJS.Timeout | undefined
  #heard = 0
  #missed = 0
  #dead = 0

  constructor(options: ListenerOptions) {
    this.#options = options
  }

  /** Whether the server tells of commits. */
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
    // A connection that listens is of no use to others.
    if (session) closeSession(session, false)
  }

  /** Whether the server can is found out by asking it; some answer with a warning and do nothing. */
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

  /** After a connection was lost: without waiting for the next beat. */
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
      // The server is away: the next beat tries again.
    }
    this.#plan()
  }

  /** One notification may have been on its way, or its sender have died; but not one after the other. */
  #doubt(missed: boolean): void {
    this.#missed = missed && this.listening ? this.#missed + 1 : 0
    if (this.#missed < MOST_MISSED) return
    this.#missed = 0
    this.#refused = ++this.#dead >= MOST_DEAD
    this.#drop()
  }
}
