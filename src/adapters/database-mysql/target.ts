/**
 * Parses the `connection_url` of a MySQL server, which has one of two forms: a URL, or the DSN of Go's driver,
 * `user:password@tcp(host:3306)/database?tls=true`.
 */
import type { ConnectionDetails } from '../../engines/database/port.ts'
import { booleanDetail, type CommonDetails, textDetail } from '../database/details.ts'
import { invalidFailure } from '../database/failure.ts'
import { decodeUrlPart, encodeUrlValues, fillPlaceholders, maskPasswords } from '../database/url.ts'

export type MysqlAddress = { readonly host: string; readonly port: number } | { readonly path: string }

export interface MysqlTarget {
  /** The addresses in the order in which to try them. */
  readonly addresses: readonly MysqlAddress[]
  readonly user: string
  readonly password: string
  readonly database: string
  readonly tls: 'off' | 'preferred' | 'unverified' | 'verified'
  /** In PEM. */
  readonly certificates: { readonly ca?: string; readonly cert?: string; readonly key?: string }
  /** The name that the server's certificate must have. If it is empty, the certificate must have the name of the host. */
  readonly serverName: string
}

interface UrlParts {
  readonly user: string
  readonly password: string
  readonly addresses: readonly MysqlAddress[]
  readonly database: string
  readonly query: string
}

const URL_FORM = /^(?:mysql|mariadb):\/\/(?:([^:@/?#]*)(?::([^@/?#]*))?@)?([^@/?#]*)(?:\/([^/?#]*))?(?:\?([^#]*))?$/
const DRIVER_FORM = /^(?:([^:@/?]*)(?::([^/?]*))?@)?(?:(tcp|unix)?(?:\(([^()]*)\))?)\/([^/?]*)(?:\?(.*))?$/
const DRIVER_PASSWORD = /^([^:@/?]*):(.*)@(?=(?:tcp|unix)?(?:\([^()]*\))?\/[^/]*$)/s
const HOST_AND_PORT = /^(\[[0-9a-fA-F:.%]+\]|[^:[\]@\s]*)(?::(\d{1,5}))?$/
const DEFAULT_PORT = 3306
const TLS: Readonly<Record<string, MysqlTarget['tls']>> = {
  false: 'off',
  true: 'verified',
  'skip-verify': 'unverified',
  preferred: 'preferred',
}
/** Parameters of Go's driver that are accepted and ignored. */
const IGNORED_PARAMETERS = [
  'charset',
  'collation',
  'loc',
  'parseTime',
  'timeout',
  'readTimeout',
  'writeTimeout',
  'allowNativePasswords',
]

const URL_DETAIL = 'connection_url'

function addressesOf(text: string): readonly MysqlAddress[] {
  const texts = text.split(',')
  if (texts.length > 16) throw invalidFailure('connection_url: must have at most 16 hosts')
  return texts.map((one) => {
    const parts = HOST_AND_PORT.exec(one)
    const port = Number(parts?.[2] ?? DEFAULT_PORT)
    if (!parts || (parts[1] === '' && texts.length > 1) || port < 1 || port > 65_535)
      throw invalidFailure('connection_url: has an invalid or missing host or port')
    return { host: decodeUrlPart(parts[1]!.replace(/^\[|\]$/g, ''), URL_DETAIL) || '127.0.0.1', port }
  })
}

/**
 * Inserts the values into the URL, percent-encoded unless `disable_escaping` is set, and then parses the URL. Returns undefined if it is
 * not a URL.
 */
function fromUrl(common: CommonDetails): UrlParts | undefined {
  const parts = URL_FORM.exec(fillPlaceholders(common.connectionUrl, common.disableEscaping ? common : encodeUrlValues(common)))
  if (!parts) return undefined
  const [, user = '', password = '', authority = '', database = '', query = ''] = parts
  return {
    user: decodeUrlPart(user, URL_DETAIL),
    password: decodeUrlPart(password, URL_DETAIL),
    addresses: addressesOf(authority),
    database: decodeUrlPart(database, URL_DETAIL),
    query,
  }
}

/** Parses the DSN of Go's driver. A DSN has no escapes, so it is parsed first, and then the values are inserted into its parts. */
function fromDriverForm(common: CommonDetails): UrlParts | undefined {
  const parts = DRIVER_FORM.exec(common.connectionUrl)
  if (!parts) return undefined
  const [, user = '', password = '', net = 'tcp', address = '', database = '', query = ''] = parts
  return {
    user: fillPlaceholders(user, common),
    password: fillPlaceholders(password, common),
    addresses: net === 'unix' ? [{ path: address || '/tmp/mysql.sock' }] : addressesOf(address),
    database: decodeUrlPart(database, URL_DETAIL),
    query,
  }
}

function tlsOf(query: string): MysqlTarget['tls'] | undefined {
  let tls: MysqlTarget['tls'] | undefined
  for (const part of query.split('&').filter(Boolean)) {
    const [name = '', value = ''] = part.split('=', 2)
    if (name === 'tls') {
      if (!Object.hasOwn(TLS, value)) throw invalidFailure(`connection_url: tls must be one of ${Object.keys(TLS).join(', ')}`)
      tls = TLS[value]
    } else if (!IGNORED_PARAMETERS.includes(name))
      throw invalidFailure(`connection_url: may only have the parameters tls, ${IGNORED_PARAMETERS.join(', ')}`)
  }
  return tls
}

const PEM_BLOCKS = /-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----/g

/** `tls_certificate_key` contains both the certificate and its key. */
function certificatesOf(details: ConnectionDetails): MysqlTarget['certificates'] {
  const ca = textDetail(details, 'tls_ca')
  const certificateAndKey = textDetail(details, 'tls_certificate_key')
  const blocks = [...certificateAndKey.matchAll(PEM_BLOCKS)]
  const cert = blocks.filter(([, kind]) => kind === 'CERTIFICATE').map(([block]) => block)
  const key = blocks.filter(([, kind]) => kind?.endsWith('PRIVATE KEY')).map(([block]) => block)
  if (certificateAndKey !== '' && (cert.length === 0 || key.length !== 1))
    throw invalidFailure('tls_certificate_key: must be a certificate and its key in PEM')
  return { ...(ca && { ca }), ...(certificateAndKey && { cert: cert.join('\n'), key: key[0]! }) }
}

/** @throws DatabaseError `invalid` if a detail is invalid. */
export function parseMysqlTarget(common: CommonDetails, details: ConnectionDetails): MysqlTarget {
  const parts = fromUrl(common) ?? fromDriverForm(common)
  if (!parts)
    throw invalidFailure(
      'connection_url: must have the form mysql://{{username}}:{{password}}@host:3306/ or {{username}}:{{password}}@tcp(host:3306)/',
    )
  const user = parts.user || common.username
  const certificates = certificatesOf(details)
  const skip = booleanDetail(details, 'tls_skip_verify')
  const requestedTls = tlsOf(parts.query) ?? (certificates.ca || certificates.cert ? 'verified' : 'off')
  return {
    addresses: parts.addresses,
    user,
    password: parts.password || common.password,
    database: parts.database,
    tls: skip && requestedTls === 'verified' ? 'unverified' : requestedTls,
    certificates,
    serverName: textDetail(details, 'tls_server_name'),
  }
}

/** Replaces the password in a URL or DSN by `xxxxx`. */
export const maskMysqlUrl = (url: string): string =>
  /^[a-z]+:\/\//i.test(url)
    ? maskPasswords(url)
    : url.replace(DRIVER_PASSWORD, (whole, user: string, password: string) =>
        password === '' || password === '{{password}}' ? whole : `${user}:xxxxx@`,
      )
