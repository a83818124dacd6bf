/** The sessions of a server, limited in number. Removed sessions are ended. */
import { texts } from '../../../core/base/texts.ts'
import { GRACE_MS, isOlder, MAX_SESSIONS, MAX_SESSIONS_PER_PEER, RENEW_SESSION_AFTER_MS } from './limits.ts'
import type { ServerSession } from './server-session.ts'

export class SessionTable {
  /** The sessions, in the order in which they were created. */
  readonly #byId = new Map<string, ServerSession>()
  readonly #byHello = new Map<string, ServerSession>()
  /** The key of each session in the map `#byHello`. */
  readonly #hellos = new Map<ServerSession, string>()

  get size(): number {
    return this.#byId.size
  }

  /** Returns the session with this id; undefined if it is unknown or too old. */
  withId(sessionId: Uint8Array, now: number): ServerSession | undefined {
    const session = this.#byId.get(texts.hex(sessionId))
    if (session === undefined || !isTooOld(session, now)) return session
    this.#remove(session)
    return undefined
  }

  /** Returns the session that was created for exactly this hello. */
  madeFor(hello: Uint8Array): ServerSession | undefined {
    return this.#byHello.get(texts.hex(hello))
  }

  /**
   * Adds a session. If the peer or the server has too many sessions, removes one. Unconfirmed sessions are removed first, because their
   * hello may be a replay. If all sessions are confirmed, the oldest is removed.
   */
  add(session: ServerSession, hello: Uint8Array): void {
    const { peerId, sessionId } = session.admitted
    this.#makeRoom(this.#of(peerId), MAX_SESSIONS_PER_PEER)
    this.#makeRoom([...this.#byId.values()], MAX_SESSIONS)
    this.#byId.set(texts.hex(sessionId), session)
    this.#byHello.set(texts.hex(hello), session)
    this.#hellos.set(session, texts.hex(hello))
  }

  drop(peerId: string): void {
    for (const session of this.#of(peerId)) this.#remove(session)
  }

  /** Ends sessions that are too old. */
  expire(now: number): void {
    for (const session of this.#byId.values()) if (isTooOld(session, now)) this.#remove(session)
  }

  clear(): void {
    for (const session of this.#byId.values()) this.#remove(session)
  }

  #of(peerId: string): readonly ServerSession[] {
    return [...this.#byId.values()].filter(({ admitted }) => admitted.peerId === peerId)
  }

  #makeRoom(sessions: readonly ServerSession[], most: number): void {
    if (sessions.length < most) return
    this.#remove(sessions.find(({ confirmed }) => !confirmed) ?? sessions[0]!)
  }

  #remove(session: ServerSession): void {
    session.end()
    this.#byId.delete(texts.hex(session.admitted.sessionId))
    this.#byHello.delete(this.#hellos.get(session)!)
    this.#hellos.delete(session)
  }
}

const isTooOld = ({ since }: ServerSession, now: number): boolean => isOlder(since, now, RENEW_SESSION_AFTER_MS + GRACE_MS)
