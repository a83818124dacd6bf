// @ts-check
/** Calls the HTTP API of the page's own server. */
import { session } from './session.js'

/** @typedef {Record<string, any>} Json */

/** A response with an error status, or no response (`status` 0). */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {readonly string[]} errors
   */
  constructor(status, errors) {
    super(errors.join('; '))
    this.status = status
    this.errors = errors
  }
}

/** @typedef {{ headerPrefix: string, sources: readonly string[] }} Config */

/** @type {Promise<Config> | undefined} */
let loading

/** @returns {Promise<Config>} */
export function config() {
  loading ??= /** @type {Promise<Config>} */ (receive(new URL('config.json', document.baseURI), {})).catch((error) => {
    loading = undefined
    throw error
  })
  return loading
}

/**
 * @typedef {object} CallOptions
 * @property {'GET' | 'POST'} [method]
 * @property {Readonly<Record<string, string>>} [query]
 * @property {unknown} [body]
 * @property {string} [namespace] Default: the chosen namespace. Pass '' for what concerns the whole server.
 * @property {string} [token] Default: the token of the session.
 * @property {AbortSignal} [signal]
 */

/**
 * @param {string} path Below `/v1/`, not encoded.
 * @param {CallOptions} [options]
 * @returns {Promise<Json>} The body of the response. @throws {ApiError}
 */
export async function call(path, { method = 'GET', query = {}, body, namespace, token, signal } = {}) {
  // The namespace is a part of the path, because a header cannot contain every name.
  const url = new URL(`../v1/${encodePath(`${namespace ?? session()?.namespace ?? ''}${path}`)}`, document.baseURI)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const used = token ?? session()?.token
  const { headerPrefix } = await config()
  return receive(url, {
    method,
    headers: {
      [`${headerPrefix}-Request`]: 'true',
      ...(used ? { [`${headerPrefix}-Token`]: used } : {}),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  })
}

/** The member `data` of a response. @param {string} path @param {CallOptions} [options] @returns {Promise<Json>} */
export const read = async (path, options) => (await call(path, options))['data'] ?? {}

/** The member `keys` of a list; empty if there is nothing to list. @param {string} path @param {CallOptions} [options] @returns {Promise<string[]>} */
export async function list(path, options = {}) {
  try {
    return (await read(path, { ...options, query: { ...options.query, list: 'true' } }))['keys'] ?? []
  } catch (error) {
    if (error instanceof ApiError && error.status === 404 && error.errors.length === 0) return []
    throw error
  }
}

/**
 * A document that the server offers in addition to the API; undefined if it does not.
 * @param {string} name
 * @param {{ after?: string, signal?: AbortSignal }} [options]
 * @returns {Promise<Json | undefined>}
 */
export async function source(name, { after, signal } = {}) {
  const { headerPrefix, sources } = await config()
  if (!sources.includes(name)) return undefined
  const url = new URL(`${name}.json`, document.baseURI)
  if (after !== undefined) url.searchParams.set('after', after)
  const token = session()?.token
  return receive(url, { headers: token ? { [`${headerPrefix}-Token`]: token } : {}, ...(signal ? { signal } : {}) })
}

/**
 * @param {URL} url
 * @param {RequestInit} init
 * @returns {Promise<Json>}
 */
async function receive(url, init) {
  let response
  let text
  try {
    response = await fetch(url, { ...init, credentials: 'omit', redirect: 'error', cache: 'no-store' })
    text = await response.text()
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new ApiError(0, ['The server does not answer.'])
  }
  const body = parse(text)
  if (response.ok || isHealth(body)) return body
  const { errors } = body
  throw new ApiError(response.status, Array.isArray(errors) ? errors.map((error) => String(error)) : [])
}

/** `sys/health` reports its state by the HTTP status, and its body is the same with each status. @param {Json} body */
const isHealth = (body) => typeof body['sealed'] === 'boolean' && typeof body['initialized'] === 'boolean'

/** @param {string} text @returns {Json} */
function parse(text) {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

/** @param {string} path */
function encodePath(path) {
  const segments = path.split('/')
  // Browsers would remove these segments, so the request would go to another path.
  if (segments.some((segment) => segment === '.' || segment === '..')) throw new ApiError(400, [`${path}: is not a path`])
  return segments.map((segment) => encodeURIComponent(segment)).join('/')
}
