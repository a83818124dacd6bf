import {
  type ClientRequest,
  type Agent as HttpAgent,
  type IncomingMessage,
  type RequestOptions,
  request as requestHttp,
} from 'node:http'
import { request as requestHttps } from 'node:https'
import { endIdle } from './agent-cache.ts'
import type { ApiServer } from './api-server.ts'
import { explainConnectionFailure } from './failure.ts'
import { TokenReviewError } from './review-error.ts'

export interface HttpMessage {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface HttpReply {
  readonly status: number
  readonly text: string
}

/** The maximum size of an answer. A review has a few kilobytes; groups and extra attributes of the user may make it longer. */
const MAX_ANSWER_BYTES = 1_048_576

/**
 * Sends a POST request and reads the whole answer. If a reused connection turns out to be closed, the request is sent once more on a new
 * connection. That is safe even if the server received the first request, because a review changes nothing.
 * @param stop Aborts the request at any point. The reason of the signal is thrown.
 * @throws TokenReviewError
 */
export async function exchange(target: ApiServer, agent: HttpAgent, message: HttpMessage, stop: AbortSignal): Promise<HttpReply> {
  try {
    return await post(target, agent, message, stop)
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw error
  }
  endIdle(agent)
  return post(target, agent, message, stop)
}

class StaleConnection extends Error {}

function post(target: ApiServer, agent: HttpAgent, { headers, body }: HttpMessage, stop: AbortSignal): Promise<HttpReply> {
  const { hostname, port, path, secure } = target
  return new Promise((resolve, reject) => {
    stop.throwIfAborted()
    const options: RequestOptions = { method: 'POST', hostname, port, path, headers, agent }
    const request: ClientRequest = secure ? requestHttps(options) : requestHttp(options)
    const end = (): void => {
      request.destroy()
      reject(stop.reason)
    }
    stop.addEventListener('abort', end, { once: true })
    let answered = false
    request.on('error', (error) =>
      reject(request.reusedSocket && !answered ? new StaleConnection() : explainConnectionFailure(error, target)),
    )
    // If the answer switches the protocol, the request emits `close` without an error or response. After an error, the promise is already
    // settled, so this rejection has no effect.
    request.on('close', () => {
      if (!answered) reject(new TokenReviewError('protocol', `${target.shown} closed the connection without an answer`))
    })
    request.on('response', (response) => {
      answered = true
      readReply(response).then(resolve, (error: Error) => {
        request.destroy()
        reject(error instanceof TokenReviewError ? error : explainConnectionFailure(error, target))
      })
    })
    request.end(body)
  })
}

async function readReply(response: IncomingMessage): Promise<HttpReply> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_ANSWER_BYTES) throw new TokenReviewError('protocol', `the answer has more than ${MAX_ANSWER_BYTES} bytes`)
    chunks.push(chunk)
  }
  return { status: response.statusCode ?? 0, text: Buffer.concat(chunks, size).toString() }
}
