/** `strongroom/http`: serves a kernel with your HTTP server, as a Node request listener or as a fetch-style handler. */
export { acceptList } from './accept-list.ts'
export { type FetchOptions, fetchHandler } from './fetch-handler.ts'
export type { NodeRequest, NodeResponse } from './node-request.ts'
export type { RequestHandler } from './request-handler.ts'
export { type ListenerOptions, requestListener } from './request-listener.ts'
