/** Limits how many HTTP/2 streams of a connection are served at a time, and the memory of their answers. */
import type { Http2Session, ServerHttp2Stream } from 'node:http2'
import { WAITING_REQUEST_BYTES } from './http1-pipelines.ts'
import { BudgetShare, ConnectionBudget, type MemoryBudget } from './memory-budget.ts'

/**
 * The maximum number of streams of one connection whose requests are running or whose answers are not sent yet. Other streams wait. A
 * blocking read no longer counts once it has begun to wait for a change.
 */
export const MAX_SERVED_STREAMS = 32

/** The HTTP/2 connections of a handler. */
export class Http2Connections {
  readonly #budget: MemoryBudget
  readonly #connections = new WeakMap<Http2Session, Http2Connection>()

  constructor(budget: MemoryBudget) {
    this.#budget = budget
  }

  of(session: Http2Session): Http2Connection {
    let connection = this.#connections.get(session)
    if (!connection) {
      connection = new Http2Connection(session, new ConnectionBudget(this.#budget))
      this.#connections.set(session, connection)
    }
    return connection
  }
}

/** Must be called when a request no longer counts as served, so that a waiting request can begin. Idempotent. */
export type EndTurn = () => void

export class Http2Connection {
  readonly budget: ConnectionBudget
  readonly #session: Http2Session
  readonly #waiting = new Set<() => void>()
  #served = 0
  #progress = 0

  constructor(session: Http2Session, budget: ConnectionBudget) {
    this.#session = session
    this.budget = budget
  }

  /**
   * Waits until a request may be served.
   * @returns An {@link EndTurn} for the request; `gone` if the stream was closed; `busy` if there is no room for another waiting request.
   */
  turn(stream: ServerHttp2Stream): EndTurn | 'gone' | 'busy' | Promise<EndTurn | 'gone'> {
    if (stream.closed || stream.destroyed) return 'gone'
    if (this.#served < MAX_SERVED_STREAMS) return this.#begin()
    const share = new BudgetShare(this.budget)
    if (!share.take(WAITING_REQUEST_BYTES)) return 'busy'
    return new Promise((resolve) => {
      const end = (result: EndTurn | 'gone') => {
        share.giveBack()
        this.#waiting.delete(begin)
        stream.off('close', gone)
        resolve(result)
      }
      // When a connection is lost, its streams are closed one after the other. So a stream may not be closed yet although its session is
      // destroyed.
      const begin = () => end(stream.closed || this.#session.destroyed ? 'gone' : this.#begin())
      const gone = () => end('gone')
      this.#waiting.add(begin)
      stream.on('close', gone)
    })
  }

  #begin(): EndTurn {
    this.#served++
    let isServed = true
    return () => {
      if (!isServed) return
      isServed = false
      this.#served--
      for (const next of this.#waiting) {
        if (this.#served === MAX_SERVED_STREAMS) break
        next()
      }
    }
  }

  /** Called when the peer has taken a piece of an answer. */
  readonly progressed = (): void => {
    this.#progress++
  }

  /**
   * Call this when a piece of an answer is written.
   * @returns A function to call if the peer does not take the piece in time. The function closes the stream. If the peer has meanwhile
   * taken nothing of any other answer either, the function closes the whole connection, which may be stuck.
   */
  watch(stream: ServerHttp2Stream): () => void {
    const before = this.#progress
    return () => {
      if (this.#progress === before) this.#session.destroy()
      else stream.close(CANCEL)
    }
  }
}

/** The error code for a stream that is no longer needed (RFC 9113, section 7). */
const CANCEL = 8
