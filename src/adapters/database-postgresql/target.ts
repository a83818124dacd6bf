import type { ConnectionDetails } from '../../engines/database/port.ts'
import { type CommonDetails, textDetail } from '../database/details.ts'
import { invalidFailure } from '../database/failure.ts'
import { decodeUrlPart, encodeUrlValues, fillPlaceholders } from '../database/url.ts'

export interface PgHost {
  /** A name, an address, or the directory of a Unix socket. */
  readonly host: string
  readonly port: number
}

export type SslMode = 'disable' | 'prefer' | 'require' | 'verify-ca' | 'verify-full'

export interface PgTarget {
  /** The hosts in the order in which to try them. */
  readonly hosts: readonly PgHost[]
  readonly user: string
  readonly password: string
  readonly database: string
  readonly sslMode: SslMode
  readonly certificates: { readonly ca?: string; readonly cert?: string; readonly key?: string }
  /** Whether to skip standby servers. */
  readonly writable: boolean
  readonly applicationName: string
}

const URL_FORM = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^@/?#]*)(?:\/([^/?#]*))?(?:\?([^#]*))?$/
const SSL_MODES: Readonly<Record<string, SslMode>> = {
  disable: 'disable',
  allow: 'prefer',
  prefer: 'prefer',
  require: 'require',
  'verify-ca': 'verify-ca',
  'verify-full': 'verify-full',
}
const NEEDS_WRITABLE: Readonly<Record<string, boolean>> = { any: false, primary: true, 'read-write': true }
/** `connect_timeout` is accepted and ignored: the deadline of the call bounds the login. */
const PARAMETERS = ['sslmode', 'application_name', 'target_session_attrs', 'host', 'port', 'connect_timeout']
const DEFAULT_PORT = 5432
const HOST_AND_PORT = /^(\[[0-9a-fA-F:.%]+\]|[^:[\]@\s]*)(?::(\d{1,5}))?$/

function portOf(text: string | undefined): number {
  const port = text === undefined || text === '' ? DEFAULT_PORT : Number(text)
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw invalidFailure('connection_url: ports must be numbers from 1 to 65535')
  return port
}

function hostsOf(authority: string, parameters: ReadonlyMap<string, string>): readonly PgHost[] {
  const ports = parameters.get('port')
  const named = parameters.get('host')
  const texts = named === undefined ? authority.split(',') : named.split(',')
  // As in libpq, the parameter `host` replaces the host of the URL, but not the port of the URL.
  const portInUrl = HOST_AND_PORT.exec(authority)?.[2]
  const hosts = texts.map((text) => {
    if (named !== undefined) return { host: text, port: portOf(ports ?? portInUrl) }
    const parts = HOST_AND_PORT.exec(text)
    if (!parts || (parts[1] === '' && texts.length > 1)) throw invalidFailure('connection_url: has an invalid or missing host')
    const [, host = '', port] = parts
    return { host: decodeUrlPart(host.replace(/^\[|\]$/g, ''), 'connection_url') || 'localhost', port: portOf(port ?? ports) }
  })
  if (hosts.length > 16) throw invalidFailure('connection_url: must have at most 16 hosts')
  return hosts
}

function parametersOf(query: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>()
  for (const part of query.split('&').filter(Boolean)) {
    const [name = '', value = ''] = part.split('=', 2)
    if (!PARAMETERS.includes(name)) throw invalidFailure(`connection_url: may only have the parameters ${PARAMETERS.join(', ')}`)
    parameters.set(name, decodeUrlPart(value, 'connection_url'))
  }
  return parameters
}

function oneOf<T>(table: Readonly<Record<string, T>>, value: string, name: string): T {
  if (!Object.hasOwn(table, value))
    throw invalidFailure(`connection_url: ${name} must be one of ${Object.keys(table).join(', ')}`)
  return table[value]!
}

function certificatesOf(details: ConnectionDetails): PgTarget['certificates'] {
  const [ca, cert, key] = ['tls_ca', 'tls_certificate', 'private_key'].map((name) => textDetail(details, name))
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) }
}

/** @throws DatabaseError `invalid` if a detail is invalid. */
export function parsePgTarget(common: CommonDetails, details: ConnectionDetails): PgTarget {
  const url = fillPlaceholders(common.connectionUrl, common.disableEscaping ? common : encodeUrlValues(common))
  const parts = URL_FORM.exec(url)
  if (!parts)
    throw invalidFailure('connection_url: must be a URL such as postgresql://{{username}}:{{password}}@host:5432/database')
  const [, userinfo = '', authority = '', path = '', query = ''] = parts
  const colon = userinfo.indexOf(':')
  const user = decodeUrlPart(colon < 0 ? userinfo : userinfo.slice(0, colon), 'connection_url') || common.username
  const parameters = parametersOf(query)
  return {
    hosts: hostsOf(authority, parameters),
    user,
    password: (colon < 0 ? '' : decodeUrlPart(userinfo.slice(colon + 1), 'connection_url')) || common.password,
    database: decodeUrlPart(path, 'connection_url') || user,
    sslMode: oneOf(SSL_MODES, parameters.get('sslmode') ?? 'prefer', 'sslmode'),
    certificates: certificatesOf(details),
    writable: oneOf(NEEDS_WRITABLE, parameters.get('target_session_attrs') ?? 'any', 'target_session_attrs'),
    applicationName: parameters.get('application_name') ?? 'strongroom',
  }
}
