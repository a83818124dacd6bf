/** Serves the operator's page below `/ui`. */
import type { OutgoingHttpHeaders } from 'node:http'
import type { NodeRequest, NodeResponse } from '../adapters/http/node-request.ts'
import { readOptions } from '../core/base/options.ts'
import { type PageFile, readPageFiles } from './page-files.ts'
import { UI_SOURCE_NAMES, type UiSourceName, type UiSources } from './ui-source.ts'

export interface UiOptions {
  /** The prefix of the API's headers, as in the kernel's option `naming`. Default `X-Service`. */
  readonly headerPrefix?: string
  /** The data that the HTTP API does not have, usually `operatorSources(kernel)`. Default: none. */
  readonly sources?: UiSources
}

/** The page loads its own files and calls its own server, and nothing else. No page of another site can embed it. */
const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

/** The grammar of header names that the kernel accepts for `naming.headerPrefix`, within what an HTTP header may contain. */
const PREFIX = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

const MAX_AFTER_CHARACTERS = 4096

/**
 * Returns the handler of all requests whose path is `/ui` or begins with `/ui/`. It answers GET and HEAD. The files contain no data of the
 * store, so they need no token; each source authorizes its visitors itself.
 * @throws TypeError for an unknown option or an invalid value.
 * @example
 * const page = uiHandler({ headerPrefix: 'X-Vault', sources: operatorSources(kernel) })
 */
export function uiHandler(given: UiOptions = {}): (request: NodeRequest, response: NodeResponse) => void {
  const { headerPrefix = 'X-Service', sources = {} } = readOptions('uiHandler', given, { headerPrefix: 1, sources: 1 })
  if (typeof headerPrefix !== 'string' || !PREFIX.test(headerPrefix))
    throw new TypeError('uiHandler: headerPrefix must consist of letters, digits, ".", "_" and "-"')
  const offered = UI_SOURCE_NAMES.filter((name) => sources[name] !== undefined)
  const config = { headerPrefix, sources: offered }
  let files: Promise<ReadonlyMap<string, PageFile>> | undefined

  async function answer(request: NodeRequest, response: NodeResponse): Promise<void> {
    const [path = '', query = ''] = (request.url ?? '').split('?', 2)
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return send(request, response, 405, { Allow: 'GET, HEAD' }, 'only GET and HEAD\n')
    if (path === '/ui') return send(request, response, 308, { Location: 'ui/' }, '')
    if (path === '/ui/config.json') return sendJson(request, response, 200, config)
    const source = offered.find((name) => path === `/ui/${name}.json`)
    if (source) return answerSource(source, request, response, query)
    files ??= readPageFiles()
    const file = (await files).get(path === '/ui/' ? 'index.html' : path.slice('/ui/'.length))
    if (!file) return send(request, response, 404, {}, 'not found\n')
    const { bytes, mediaType, etag } = file
    const headers = { 'Cache-Control': 'no-cache', ETag: etag }
    if (request.headers['if-none-match'] === etag) return send(request, response, 304, headers, '')
    send(request, response, 200, { ...headers, 'Content-Type': mediaType }, bytes)
  }

  async function answerSource(name: UiSourceName, request: NodeRequest, response: NodeResponse, query: string): Promise<void> {
    const token = request.headers[`${headerPrefix.toLowerCase()}-token`]
    const after = new URLSearchParams(query).get('after') ?? undefined
    if (after !== undefined && after.length > MAX_AFTER_CHARACTERS)
      return sendJson(request, response, 400, { errors: [`after: must have at most ${MAX_AFTER_CHARACTERS} characters`] })
    const { status, body } = await (sources[name] as NonNullable<UiSources[UiSourceName]>)({
      token: typeof token === 'string' && token !== '' ? token : undefined,
      remoteAddress: request.socket.remoteAddress,
      after,
    })
    sendJson(request, response, status, body)
  }

  return (request, response) => {
    answer(request, response).catch(() => {
      // The files of a damaged installation may be repaired while the server runs.
      files = undefined
      if (!response.headersSent) sendJson(request, response, 500, { errors: ['internal error'] })
    })
  }
}

function sendJson(request: NodeRequest, response: NodeResponse, status: number, body: unknown): void {
  send(request, response, status, { 'Content-Type': 'application/json' }, JSON.stringify(body))
}

function send(
  request: NodeRequest,
  response: NodeResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  body: string | Uint8Array,
): void {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const all: OutgoingHttpHeaders = { 'Cache-Control': 'no-store', ...SECURITY_HEADERS, ...headers }
  if (status !== 304) {
    all['Content-Type'] ??= 'text/plain; charset=utf-8'
    all['Content-Length'] = bytes.length
  }
  response.writeHead(status, all)
  if (request.method === 'HEAD' || status === 304) response.end()
  else response.end(bytes)
  // A body of GET is not read; the server must not wait for it.
  request.resume()
}
