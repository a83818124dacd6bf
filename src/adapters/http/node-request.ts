/** The used part of a request of node:http, node:https or node:http2. */
import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'

export type NodeRequest = IncomingMessage | Http2ServerRequest
