/** HTTP agents that limit the length of an answer, including headers, interim responses, trailers and body. */
import { type AgentOptions, type ClientRequest, Agent as HttpAgent, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, type AgentOptions as HttpsAgentOptions } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { AnswerEncoded, AnswerTooLong, type ByteMeter, meterBytes } from './byte-meter.ts'

/**
 * The maximum length of one answer, including headers, interim responses, body and trailers. The services that adapters call send a few
 * kilobytes, or a few hundred kilobytes for a page of 1,000 names.
 */
export const MAX_HTTP_ANSWER_BYTES = 2_097_152

type AgentClass = new (options: AgentOptions & HttpsAgentOptions) => HttpAgent

/** The agent methods that Node calls for each connection and each request. */
interface AgentHooks {
  createConnection(options: object, callback?: (error: Error | null, socket: Duplex) => void): Duplex | undefined
  addRequest(request: ClientRequest, ...more: unknown[]): void
}

/** Returns an error if an answer must be refused because of its headers, else undefined. */
function refusalOf({ headers }: IncomingMessage, maxBytes: number): Error | undefined {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') return new AnswerEncoded()
  return Number(headers['content-length'] ?? 0) > maxBytes ? new AnswerTooLong(maxBytes) : undefined
}

/** Refuses an answer before the caller receives it. A caller that has already begun to read might wait for an end that never comes. */
function checkHead(request: ClientRequest, maxBytes: number): void {
  if (!request.headersSent) request.removeHeader('accept-encoding')
  const emit = request.emit.bind(request) as (event: string, ...values: unknown[]) => boolean
  request.emit = (event: string, ...values: unknown[]): boolean => {
    const refusal = event === 'response' ? refusalOf(values[0] as IncomingMessage, maxBytes) : undefined
    if (!refusal) return emit(event, ...values)
    request.destroy(refusal)
    return true
  }
}

const metered = (Base: AgentClass, maxBytes: number, options: AgentOptions & HttpsAgentOptions): HttpAgent => {
  const meters = new WeakMap<Duplex, ByteMeter>()
  const agent = new Base(options)
  const hooks = agent as unknown as AgentHooks
  const createConnection = hooks.createConnection.bind(agent)
  const addRequest = hooks.addRequest.bind(agent)
  hooks.createConnection = (to, callback) => {
    const socket = createConnection(to, callback)
    if (socket) meters.set(socket, meterBytes(socket, maxBytes))
    return socket
  }
  hooks.addRequest = (request, ...more) => {
    checkHead(request, maxBytes)
    // A connection is used for several requests, so count from zero for each request.
    request.once('socket', (socket: Socket) => meters.get(socket)?.reset())
    addRequest(request, ...more)
  }
  return agent
}

/** @param maxBytes The limit for everything that is received between the start of one request and the start of the next. */
export const meteredHttpAgent = (maxBytes: number, options: AgentOptions): HttpAgent => metered(HttpAgent, maxBytes, options)

/** Like {@link meteredHttpAgent}, over TLS. Counts decrypted bytes. */
export const meteredHttpsAgent = (maxBytes: number, options: HttpsAgentOptions): HttpsAgent =>
  metered(HttpsAgent as AgentClass, maxBytes, options) as HttpsAgent
