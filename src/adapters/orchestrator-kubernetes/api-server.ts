/** The address of an API server, from its configured host. */
import { isIPv6 } from 'node:net'
import { TokenReviewError } from './review-error.ts'

export interface ApiServer {
  readonly secure: boolean
  /** An IPv6 address without brackets. */
  readonly hostname: string
  readonly port: number
  readonly path: string
  /** For messages. */
  readonly shown: string
}

const PATH = '/apis/authentication.k8s.io/v1/tokenreviews'

/**
 * Accepts `api.example`, `api.example:6443`, `10.0.0.1`, `fd00::1`, `[fd00::1]:6443` and URLs, whose path is a prefix of the
 * API's; one slash at its end is dropped. Without a scheme it is https.
 * @throws TokenReviewError `transport` for anything else, as no connection is possible. The message omits the host, which may
 * hold a password.
 */
export function parseHost(host: string): ApiServer {
  const [, scheme = 'https', rest = ''] = /^(?:([a-z][a-z\d+.-]*):\/\/)?(.*)$/is.exec(host.trim()) ?? []
  const secure = scheme.toLowerCase() === 'https'
  if (!secure && scheme.toLowerCase() !== 'http') throw unusableHost('its scheme is neither https nor http')
  // A URL parser would correct these, each parser in its own way.
  if (/[\s\p{Cc}\\]/u.test(rest)) throw unusableHost('it holds white space or a backslash')
  if (/[?#]/.test(rest)) throw unusableHost('it has a query or a fragment')
  const slash = rest.indexOf('/')
  const authority = slash < 0 ? rest : rest.slice(0, slash)
  if (authority.includes('@')) throw unusableHost('it has a user name')
  if (authority.endsWith(':')) throw unusableHost('its port is missing')
  const url = parseUrl(`${scheme}://${isIPv6(authority) ? `[${authority}]` : authority}${rest.slice(authority.length)}`)
  if (authority === '' || !url) throw unusableHost('it is no host, host:port or URL')
  const port = Number(url.port || (secure ? 443 : 80))
  const shown = `${url.hostname}:${port}`
  return { secure, hostname: url.hostname.replace(/^\[|\]$/g, ''), port, path: url.pathname.replace(/\/$/, '') + PATH, shown }
}

const unusableHost = (why: string): TokenReviewError =>
  new TokenReviewError('transport', `the configured host of the API server cannot be used: ${why}`)

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
