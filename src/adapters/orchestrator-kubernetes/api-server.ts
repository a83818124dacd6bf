import { isIPv6 } from 'node:net'
import { TokenReviewError } from './review-error.ts'

export interface ApiServer {
  readonly secure: boolean
  /** An IPv6 address without brackets. */
  readonly hostname: string
  readonly port: number
  readonly path: string
  /** The host and port, for error messages. */
  readonly shown: string
}

const PATH = '/apis/authentication.k8s.io/v1/tokenreviews'

/**
 * Parses the configured host: `api.example`, `api.example:6443`, `10.0.0.1`, `fd00::1`, `[fd00::1]:6443` or a URL. The path of a URL,
 * without a trailing slash, is put before the path of the API. The default scheme is https.
 * @throws TokenReviewError `transport` for anything else, because no connection is possible then. The message does not contain the host,
 * which may contain a password.
 */
export function parseHost(host: string): ApiServer {
  const [, scheme = 'https', rest = ''] = /^(?:([a-z][a-z\d+.-]*):\/\/)?(.*)$/is.exec(host.trim()) ?? []
  const secure = scheme.toLowerCase() === 'https'
  if (!secure && scheme.toLowerCase() !== 'http') throw unusableHost('the scheme must be https or http')
  // URL parsers interpret these characters in different ways, so they are refused.
  if (/[\s\p{Cc}\\]/u.test(rest)) throw unusableHost('it must not contain white space or a backslash')
  if (/[?#]/.test(rest)) throw unusableHost('it must not have a query or a fragment')
  const slash = rest.indexOf('/')
  const authority = slash < 0 ? rest : rest.slice(0, slash)
  if (authority.includes('@')) throw unusableHost('it must not have a user name')
  if (authority.endsWith(':')) throw unusableHost('the port is missing')
  const url = parseUrl(`${scheme}://${isIPv6(authority) ? `[${authority}]` : authority}${rest.slice(authority.length)}`)
  if (authority === '' || !url) throw unusableHost('it must be a host, host:port or URL')
  const port = Number(url.port || (secure ? 443 : 80))
  const shown = `${url.hostname}:${port}`
  return { secure, hostname: url.hostname.replace(/^\[|\]$/g, ''), port, path: url.pathname.replace(/\/$/, '') + PATH, shown }
}

const unusableHost = (why: string): TokenReviewError =>
  new TokenReviewError('transport', `the configured host of the API server is invalid: ${why}`)

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
