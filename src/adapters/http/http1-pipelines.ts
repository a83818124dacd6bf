/**
 * Queues pipelined requests of HTTP/1.1. Node emits every request of a packet, up to 2,500 in 64 KiB, and would serve all of them at once.
 * Here a request begins when the answers before it are sent, and the connection is not read while a request waits.
 */
import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { isParsed } from './list-connection.ts'
import { BudgetShare, ConnectionBudget, type MemoryBudget } from './memory-budget.ts'

/** Estimated memory of a waiting request in bytes: Node's objects for the request and its response. */
export const WAITING_REQUEST_BYTES = 4_096

/** The HTTP/1.1 connections of one handler that have pipelined requests waiting for the answer to an earlier request. */
export class Http1Pipelines {
  readonly #budget: MemoryBudget
  readonly #pipelines = new WeakMap<Duplex, Pipeline>()

  constructor(budget: MemoryBudget) {
    this.#budget = budget
  }

  /**
   * @param begin Called when all earlier answers of the connection are sent: immediately for most requests, never if the connection is
   * closed before that.
   * @param refuse Called instead if there is no room for another waiting request. It must close the connection. Later requests are ignored.
   */
  enter(socket: Duplex, response: ServerResponse, begin: () => void, refuse: () => void): void {
    // Node assigns the socket to a response when all earlier responses are sent.
    if (response.socket === null) this.#pipelineOf(socket).wait(response, begin, refuse)
    else begin()
  }

  #pipelineOf(socket: Duplex): Pipeline {
    let pipeline = this.#pipelines.get(socket)
    if (!pipeline) {
      pipeline = new Pipeline(socket, new ConnectionBudget(this.#budget))
      this.#pipelines.set(socket, pipeline)
    }
    return pipeline
  }
}

class Pipeline {
  readonly #socket: Duplex
  readonly #budget: ConnectionBudget
  readonly #waiting = new Set<BudgetShare>()
  #isRefusing = false

  constructor(socket: Duplex, budget: ConnectionBudget) {
    this.#socket = socket
    this.#budget = budget
  }

  wait(response: ServerResponse, begin: () => void, refuse: () => void): void {
    // Node parses the rest of a packet even if the connection is closed, so ignore the requests in it.
    if (this.#isRefusing || this.#socket.destroyed) return
    const share = new BudgetShare(this.#budget)
    this.#isRefusing = !share.take(WAITING_REQUEST_BYTES)
    if (this.#waiting.size === 0) this.#stopReading()
    this.#waiting.add(share)
    const next = this.#isRefusing ? refuse : begin
    response.once('socket', () => {
      this.#waiting.delete(share)
      share.giveBack()
      if (this.#waiting.size === 0) this.#readOn()
      // Node assigns the socket to the next response even if the connection is closed.
      if (!this.#socket.destroyed) next()
    })
  }

  #stopReading(): void {
    this.#socket.on('resume', this.#pause).on('close', this.#closed)
    this.#pause()
  }

  /** Node resumes reading whenever an answer is sent or its buffer is drained, so pause again. */
  readonly #pause = (): void => {
    this.#socket.pause()
  }

  #readOn(): void {
    this.#socket.off('resume', this.#pause).off('close', this.#closed)
    if (!this.#isRefusing && isParsed(this.#socket)) this.#socket.resume()
  }

  readonly #closed = (): void => {
    for (const share of this.#waiting) share.giveBack()
    this.#waiting.clear()
    this.#socket.off('resume', this.#pause)
  }
}
