/** Makes the audit devices of the types `syslog` and `socket` that API requests enable, for servers that the application chooses. */
import { invalid } from '../../core/base/errors.ts'
import { readOptions } from '../../core/base/options.ts'
import type { AuditSinkFactory } from '../../core/contract/audit-port.ts'
import type { Endpoint } from '../audit/endpoint.ts'
import { FACILITIES, type SyslogFacility } from './facility.ts'
import { APP_NAME } from './message.ts'
import { messageSink } from './message-sink.ts'
import { type SyslogAuditOptions, syslogAudit } from './syslog.ts'

/**
 * Returns the factory for `ports.audit.factories.syslog`. All devices send to the server of the options. A request chooses only `facility`,
 * `tag` (the name of the application in the messages) and `prefix`; the options have the defaults.
 * @throws TypeError for invalid options.
 */
export function syslogAuditFactory(options: SyslogAuditOptions = {}): AuditSinkFactory {
  // Reports mistakes in the options now.
  syslogAudit(options)
  return ({ options: { facility, tag, prefix } }) => {
    const chosen: { -readonly [K in 'facility' | 'appName' | 'prefix']?: SyslogAuditOptions[K] } = {}
    if (facility !== undefined) chosen.facility = facilityOf(facility)
    if (tag !== undefined) chosen.appName = tagOf(tag)
    if (prefix !== undefined) chosen.prefix = prefixOf(prefix)
    return syslogAudit({ ...options, ...chosen })
  }
}

/** Vault's names are in upper case. @throws KernelError 400 */
function facilityOf(given: string): SyslogFacility {
  const name = given.toLowerCase() as SyslogFacility
  if (!FACILITIES.includes(name)) throw invalid(`options.facility: must be one of ${FACILITIES.join(', ').toUpperCase()}`)
  return name
}

/** @throws KernelError 400 */
function tagOf(given: string): string {
  if (!APP_NAME.test(given)) throw invalid('options.tag: must have 1 to 48 printable ASCII characters and no spaces')
  return given
}

/** @throws KernelError 400 */
function prefixOf(given: string): string {
  if (/[\r\n]/.test(given)) throw invalid('options.prefix: must not contain line breaks')
  return given
}

/** An address that requests may name. */
export interface SocketAuditTarget {
  /** `host:port`, with brackets around an IPv6 address; for a Unix socket of the type SOCK_STREAM its path. */
  readonly address: string
  /** Default: `tcp`. */
  readonly socketType?: 'tcp' | 'udp' | 'unix'
}

export interface SocketAuditFactoryOptions {
  /** The addresses that requests may name. */
  readonly targets: readonly SocketAuditTarget[]
}

const MAX_LINE_BYTES = 1_048_576
const MAX_DATAGRAM_BYTES = 65_507
const WHAT = 'socketAuditFactory'

/**
 * Returns the factory for `ports.audit.factories.socket`. Its devices send the line of each entry, followed by a line break; over UDP each
 * line is a datagram. The options of a request: `address` and `socket_type` (default: `tcp`), which together must be one of the targets;
 * and `prefix`. As with syslog, the receiver acknowledges nothing.
 * @throws TypeError for invalid options.
 */
export function socketAuditFactory(options: SocketAuditFactoryOptions): AuditSinkFactory {
  const { targets } = readOptions(WHAT, options, { targets: 1 })
  if (!Array.isArray(targets) || targets.length === 0) throw new TypeError(`${WHAT}: targets must be a list that is not empty`)
  const endpoints = new Map(targets.map((target, n) => endpointOf(target, n)))
  return ({ options: { address = '', socket_type: type = 'tcp', prefix: given = '' } }) => {
    const endpoint = endpoints.get(`${type} ${address}`)
    if (!endpoint) throw invalid('options.address: must be an address that the application allows for this socket_type')
    const prefix = prefixOf(given)
    return messageSink({
      what: 'socket',
      endpoint,
      maxMessageBytes: type === 'udp' ? MAX_DATAGRAM_BYTES : MAX_LINE_BYTES,
      messageOf: (line) => Buffer.from(`${prefix}${line}\n`),
      frame: (message) => message,
    })
  }
}

function endpointOf(target: SocketAuditTarget, n: number): readonly [key: string, endpoint: Endpoint] {
  const { address, socketType = 'tcp' } = readOptions(WHAT, target, { address: 1, socketType: 1 }, `targets[${n}].`)
  if (socketType !== 'tcp' && socketType !== 'udp' && socketType !== 'unix')
    throw new TypeError(`${WHAT}: targets[${n}].socketType must be "tcp", "udp" or "unix"`)
  const key = `${socketType} ${address}`
  if (typeof address === 'string' && socketType === 'unix' && address !== '' && !address.includes('\0'))
    return [key, { transport: 'unix', path: address }]
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(String(address)) ?? []
  const host = bracketed ?? plain
  const port = Number(digits)
  if (socketType === 'unix' || host === undefined || port < 1 || port > 65_535)
    throw new TypeError(`${WHAT}: targets[${n}].address must be host:port, or the path of a Unix socket`)
  return [key, { transport: socketType, host, port }]
}
