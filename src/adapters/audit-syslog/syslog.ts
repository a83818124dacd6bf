/** Audit entries as syslog messages. */
import { readOptions } from '../../core/base/options.ts'
import { type AuditTls, readClientTls } from '../audit/client-tls.ts'
import type { Endpoint } from '../audit/endpoint.ts'
import { FACILITIES, type SyslogFacility } from './facility.ts'
import { APP_NAME, messagesOf, withOctetCount } from './message.ts'
import { type MessageSink, messageSink } from './message-sink.ts'

export interface SyslogAuditOptions {
  /** A name or an IP address. Default: `127.0.0.1`. */
  readonly host?: string
  /** Default: 514 for UDP and TCP, 6514 for TLS. */
  readonly port?: number
  /** The path of a Unix socket of the type SOCK_STREAM, in place of `host`, `port` and `transport`. */
  readonly path?: string
  /**
   * `udp` (default): each entry is a datagram, which can be lost without an error. `tcp` and `tls`: each entry is preceded by its length
   * (octet counting, RFC 6587 and RFC 5425).
   */
  readonly transport?: 'udp' | 'tcp' | 'tls'
  /** For the transport `tls`: the trusted authorities, and the certificate and key of this client. Default: what Node trusts. */
  readonly tls?: AuditTls
  /** The facility of the messages. Default: `auth`. */
  readonly facility?: SyslogFacility
  /** The name of the application in the messages: up to 48 printable ASCII characters without spaces. Default: `strongroom`. */
  readonly appName?: string
  /** Text before the line of each entry, such as `@cee: `. Default: none. */
  readonly prefix?: string
  /**
   * The maximum length of a message in bytes. A longer entry is refused, because many servers cut off longer messages without an error.
   * Default: 65,507 for UDP, which is also the maximum there, and 1,048,576 for TCP and TLS.
   */
  readonly maxMessageBytes?: number
}

/** A syslog server to which entries are sent. */
export interface SyslogAudit extends MessageSink {}

const NAMES = {
  host: 1,
  port: 1,
  path: 1,
  transport: 1,
  tls: 1,
  facility: 1,
  appName: 1,
  prefix: 1,
  maxMessageBytes: 1,
} as const

/** The maximum length of the data of a UDP datagram over IPv4. */
const MAX_DATAGRAM_BYTES = 65_507
const MAX_STREAM_MESSAGE_BYTES = 1_048_576

/**
 * Returns a sink that sends each entry as a message of RFC 5424, with the severity `informational` and the message id `audit`.
 *
 * A call of `write` resolves when the operating system has taken the whole message. Syslog has no acknowledgements: a message can be lost
 * afterwards, with UDP on the way, with TCP and TLS if the connection or the server fails. `verifyAudit` reports lost entries.
 *
 * If the server cannot be reached, `write` rejects. The sink then connects again at the next entry, and after further failures at most
 * every 0.25 to 10 seconds; until then entries are refused immediately.
 * @throws TypeError for invalid options.
 */
export function syslogAudit(options: SyslogAuditOptions = {}): SyslogAudit {
  const what = 'syslogAudit'
  const {
    facility = 'auth',
    appName = 'strongroom',
    prefix = '',
    maxMessageBytes,
    ...address
  } = readOptions(what, options, NAMES)
  const endpoint = endpointOf(what, address)
  if (!FACILITIES.includes(facility)) throw new TypeError(`${what}: facility must be one of ${FACILITIES.join(', ')}`)
  if (typeof appName !== 'string' || !APP_NAME.test(appName))
    throw new TypeError(`${what}: appName must have 1 to 48 printable ASCII characters and no spaces`)
  if (typeof prefix !== 'string' || /[\r\n]/.test(prefix))
    throw new TypeError(`${what}: prefix must be a string without line breaks`)
  const most = endpoint.transport === 'udp' ? MAX_DATAGRAM_BYTES : MAX_STREAM_MESSAGE_BYTES
  const limit = maxMessageBytes ?? most
  if (!(Number.isInteger(limit) && limit >= 480 && limit <= most))
    throw new TypeError(`${what}: maxMessageBytes must be an integer from 480 to ${most}`)
  const messageOf = messagesOf({ facility, appName, prefix })
  return messageSink({ what, endpoint, maxMessageBytes: limit, messageOf, frame: withOctetCount })
}

type Address = Pick<SyslogAuditOptions, 'host' | 'port' | 'path' | 'transport' | 'tls'>

function endpointOf(what: string, { path, ...server }: Address): Endpoint {
  if (path === undefined) return serverOf(what, server)
  if (typeof path !== 'string' || path === '' || path.includes('\0'))
    throw new TypeError(`${what}: path must be the path of a Unix socket`)
  for (const [name, value] of Object.entries(server))
    if (value !== undefined) throw new TypeError(`${what}: ${name} cannot be combined with path`)
  return { transport: 'unix', path }
}

function serverOf(what: string, { host = '127.0.0.1', port, transport = 'udp', tls }: Omit<Address, 'path'>): Endpoint {
  if (transport !== 'udp' && transport !== 'tcp' && transport !== 'tls')
    throw new TypeError(`${what}: transport must be "udp", "tcp" or "tls"`)
  if (typeof host !== 'string' || host === '') throw new TypeError(`${what}: host must be a string that is not empty`)
  const at = port ?? (transport === 'tls' ? 6514 : 514)
  if (!(Number.isInteger(at) && at >= 1 && at <= 65_535)) throw new TypeError(`${what}: port must be an integer from 1 to 65,535`)
  if (transport === 'tls') return { transport, host, port: at, tls: readClientTls(what, tls) }
  if (tls !== undefined) throw new TypeError(`${what}: tls requires the transport "tls"`)
  return { transport, host, port: at }
}
