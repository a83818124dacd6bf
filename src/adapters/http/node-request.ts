/** Requests and responses of node:http, node:https and node:http2. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse, ServerHttp2Stream } from 'node:http2'

export type NodeRequest = IncomingMessage | Http2ServerRequest

export type NodeResponse = ServerResponse | Http2ServerResponse

/** A request and its response. */
export interface HttpExchange {
  readonly request: NodeRequest
  readonly response: NodeResponse
}

/** The stream of an HTTP/2 response; undefined for HTTP/1.1. */
export function http2StreamOf(response: NodeResponse): ServerHttp2Stream | undefined {
  const { stream } = response as Partial<Http2ServerResponse>
  return typeof stream?.respond === 'function' ? stream : undefined
}
