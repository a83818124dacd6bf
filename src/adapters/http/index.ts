/** `strongroom/http`: a kernel behind your HTTP server, on Node's own request listeners or on fetch-style handlers. */
export { acceptList } from './accept-list.ts'
export { type FetchOptions, fetchHandler } from './fetch-handler.ts'
export type { NodeRequest, NodeResponse } from './node-request.ts'
export type { RequestHandler } from './request-handler.ts'
export { type ListenerOptions, requestListener } from './request-listener.ts'
