/**
 * Finds the API path of a request: the part from `/v1` on, without the prefix of a framework or server.
 *
 * A path has only one meaning. For example, a listener that is mounted at `/v1/transit` serves only `/v1/transit/...`, so it never reads
 * `/v1/transit/v1/sys/...` as `/v1/sys/...`.
 */
import type { NodeRequest } from './node-request.ts'
import { type RequestTarget, readTarget } from './target.ts'

export interface PrefixOptions {
  /**
   * The path before `/v1`, such as `/kms` for clients that call `/kms/v1/...`. It begins with `/` and does not end with `/`. Only needed if
   * the server passes the whole path. A framework that mounts middleware (`app.use('/kms', listener)`) needs no prefix.
   */
  readonly prefix?: string
}

/** Properties that frameworks add to a request: Express `baseUrl`; Connect, Fastify and others `originalUrl`. */
interface MountedRequest {
  readonly baseUrl?: unknown
  readonly originalUrl?: unknown
}

const IS_API = /^\/v1(?:\/|$)/
const ENDS_WITH_API = /\/v1$/i
const BEGINS_WITH_API = /^\/v1(?=\/)/i

/** @throws TypeError for an invalid prefix. */
export function validatePrefix(prefix: string | undefined): string {
  if (prefix === undefined) return ''
  if (typeof prefix !== 'string' || !/^(?:\/[^/?#]+)*$/.test(prefix))
    throw new TypeError('prefix: must be a path that begins with "/" and does not end with it, such as "/kms"')
  return prefix
}

/** @returns The API path; undefined for a path outside of the API. */
export function apiPathOf(path: string, prefix: string): string | undefined {
  const rest = path.startsWith(prefix) ? path.slice(prefix.length) : ''
  return IS_API.test(rest) ? rest : undefined
}

/**
 * @returns The target of the request. If its path is in the API, `path` is the API path; otherwise `path` is unchanged and `isApi` is
 * false.
 */
export function apiTargetOf(request: NodeRequest, prefix: string): RequestTarget & { readonly isApi: boolean } {
  const { path, query } = readTarget(request.url ?? '')
  const api = prefix === '' ? mountedApiPath(request, path) : apiPathOf(mountPathOf(request, path) + path, prefix)
  return { path: api ?? path, query, isApi: api !== undefined }
}

function mountedApiPath(request: NodeRequest, path: string): string | undefined {
  const base = mountPathOf(request, path)
  // A framework that removes the whole path puts "/" in its place. The client did not send this slash, so leave it out.
  const below = path === '/' && !wholePathOf(request)?.endsWith('/') ? '' : path
  if (BEGINS_WITH_API.test(base)) return base.replace(BEGINS_WITH_API, '/v1') + below
  return ENDS_WITH_API.test(base) ? `/v1${below}` : apiPathOf(path, '')
}

/** The path that the framework removed from `request.url`. */
function mountPathOf(request: NodeRequest, path: string): string {
  const { baseUrl } = request as MountedRequest
  if (typeof baseUrl === 'string') return baseUrl
  const whole = wholePathOf(request) ?? ''
  if (whole.endsWith(path)) return whole.slice(0, whole.length - path.length)
  return path === '/' ? whole : ''
}

function wholePathOf(request: NodeRequest): string | undefined {
  const { originalUrl } = request as MountedRequest
  return typeof originalUrl === 'string' ? readTarget(originalUrl).path : undefined
}
