/**
 * What a connection URL of MySQL says, be it a URL or the form of Go's driver: `user:password@tcp(host:3306)/database?tls=true`.
 */
import type { ConnectionDetails } from '../../engines/database/port.ts'
import { booleanDetail, type CommonDetails, textDetail } from '../database/details.ts'
import { invalidFailure } from '../database/failure.ts'
import { decodeUrlPart, encodeUrlValues, fillPlaceholders, maskPasswords } from '../database/url.ts'

export type MysqlAddress = { readonly host: string; readonly port: number } | { readonly path: string }

export interface MysqlTarget {
  /** Tried in order. */
  readonly addresses: readonly MysqlAddress[]
  readonly user: string
  readonly password: string
  readonly database: string
  readonly tls: 'off' | 'preferred' | 'unverified' | 'verified'
  /** PEM. */
  readonly certificates: { readonly ca?: string; readonly cert?: string; readonly key?: string }
  /** Whom the server's certificate has to name; empty: the host. */
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
/** Of Go's driver; none changes what is done here. */
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
  if (texts.length > 16) throw invalidFailure('connection_url names more than 16 hosts')
  return texts.map((one) => {
    const parts = HOST_AND_PORT.exec(one)
    const port = Number(parts?.[2] ?? DEFAULT_PORT)
    if (!parts || (parts[1] === '' && texts.length > 1) || port < 1 || port > 65_535)
      throw invalidFailure('connection_url: a host or a port is missing or misspelt')
    return { host: decodeUrlPart(parts[1]!.replace(/^\[|\]$/g, ''), URL_DETAIL) || '127.0.0.1', port }
  })
}

/** The URL is taken apart with the values in it, percent-encoded unless that was disabled. */
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

/** This form has no escapes, so it is taken apart first and filled afterwards. */
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
      if (!Object.hasOwn(TLS, value)) throw invalidFailure(`connection_url: tls is one of ${Object.keys(TLS).join(', ')}`)
      tls = TLS[value]
    } else if (!IGNORED_PARAMETERS.includes(name))
      throw invalidFailure(`connection_url has a parameter that is none of tls, ${IGNORED_PARAMETERS.join(', ')}`)
  }
  return tls
}

const PEM_BLOCKS = /-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----/g

/** `tls_certificate_key` holds certificate and key in one. */
function certificatesOf(details: ConnectionDetails): MysqlTarget['certificates'] {
  const ca = textDetail(details, 'tls_ca')
  const both = textDetail(details, 'tls_certificate_key')
  const blocks = [...both.matchAll(PEM_BLOCKS)]
  const cert = blocks.filter(([, kind]) => kind === 'CERTIFICATE').map(([block]) => block)
  const key = blocks.filter(([, kind]) => kind?.endsWith('PRIVATE KEY')).map(([block]) => block)
  if (both !== '' && (cert.length === 0 || key.length !== 1))
    throw invalidFailure('tls_certificate_key is a certificate and its key, PEM')
  return { ...(ca && { ca }), ...(both && { cert: cert.join('\n'), key: key[0]! }) }
}

/** @throws DatabaseError `invalid` */
export function parseMysqlTarget(common: CommonDetails, details: ConnectionDetails): MysqlTarget {
  const parts = fromUrl(common) ?? fromDriverForm(common)
  if (!parts)
    throw invalidFailure(
      'connection_url has to be such as mysql://{{username}}:{{password}}@host:3306/ or {{username}}:{{password}}@tcp(host:3306)/',
    )
  const user = parts.user || common.username
  const certificates = certificatesOf(details)
  const skip = booleanDetail(details, 'tls_skip_verify')
  const asked = tlsOf(parts.query) ?? (certificates.ca || certificates.cert ? 'verified' : 'off')
  return {
    addresses: parts.addresses,
    user,
    password: parts.password || common.password,
    database: parts.database,
    tls: skip && asked === 'verified' ? 'unverified' : asked,
    certificates,
    serverName: textDetail(details, 'tls_server_name'),
  }
}

/** Either form, with `xxxxx` for a password that stands in it. */
export const maskMysqlUrl = (url: string): string =>
  /^[a-z]+:\/\//i.test(url)
    ? maskPasswords(url)
    : url.replace(DRIVER_PASSWORD, (whole, user: string, password: string) =>
        password === '' || password === '{{password}}' ? whole : `${user}:xxxxx@`,
      )
