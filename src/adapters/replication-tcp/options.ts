import { type OptionDuration, type OptionNames, type ReadOptions, readOptions } from '../../core/base/options.ts'
import { isHost } from './address.ts'

export interface TcpTransportOptions {
  /**
   * The host under which other clusters reach this machine: a name, or an IP address without brackets. It replaces the host in the address
   * that `listen` returns, which is needed when listening on all interfaces. Default: the host passed to `listen`.
   */
  readonly advertise?: string
  /**
   * The maximum number of connections of a listener, 1 to 65,535, default 1024.
   *
   * When the maximum is reached, a new connection replaces a connection over which no member of the replication set has sent a message yet.
   * It replaces the oldest such connection of the address that has the most of them. If members have sent messages over all connections,
   * the new connection is closed.
   */
  readonly maxConnections?: number
  /**
   * Limits the connections over which no member of the replication set has sent a message yet: the maximum number from one address (or
   * one IPv6 /64 network), 1 to 65,535, default 128. When it is reached, a new connection from the address replaces the oldest of them.
   */
  readonly maxStrangersPerAddress?: number
  /**
   * The time in milliseconds after which a connection is closed if no member of the replication set has sent a message over it. Checked at
   * intervals of half this time. Default 30,000.
   */
  readonly strangerMs?: OptionDuration
  /**
   * The maximum number of messages of one connection that are processed concurrently, 1 to 65,535, default 64. The listener reads no
   * further messages until answers have been written.
   */
  readonly maxRequests?: number
  /**
   * The time in milliseconds after which a connection is closed if it is idle or if its peer does not read what is sent. The listening side
   * waits twice as long, so that it does not close a connection that the requesting side is about to use. Default 60,000.
   */
  readonly idleMs?: OptionDuration
  /** The time in milliseconds within which a connection must be established and each message must arrive completely. Default 30,000. */
  readonly stallMs?: OptionDuration
}

export interface TcpSettings extends Required<Omit<ReadOptions<TcpTransportOptions>, 'advertise'>> {
  readonly advertise: string | undefined
}

const MAX_MS = 2 ** 30 - 1
const MAX_COUNT = 65_535

const TCP_OPTIONS: OptionNames<TcpTransportOptions> = {
  advertise: 1,
  maxConnections: 1,
  maxStrangersPerAddress: 1,
  strangerMs: 1,
  maxRequests: 1,
  idleMs: 1,
  stallMs: 1,
}

export function validateOptions(given: TcpTransportOptions): TcpSettings {
  const options = readOptions('tcpTransport', given, TCP_OPTIONS)
  const { advertise } = options
  if (advertise !== undefined && !(typeof advertise === 'string' && isHost(advertise)))
    throw new TypeError('advertise: must be a host name or an IP address')
  return {
    advertise,
    maxConnections: count('maxConnections', options.maxConnections ?? 1024, MAX_COUNT),
    maxStrangersPerAddress: count('maxStrangersPerAddress', options.maxStrangersPerAddress ?? 128, MAX_COUNT),
    strangerMs: count('strangerMs', options.strangerMs ?? 30_000, MAX_MS),
    maxRequests: count('maxRequests', options.maxRequests ?? 64, MAX_COUNT),
    idleMs: count('idleMs', options.idleMs ?? 60_000, MAX_MS),
    stallMs: count('stallMs', options.stallMs ?? 30_000, MAX_MS),
  }
}

function count(name: string, value: number, most: number): number {
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new TypeError(`${name}: must be a whole number from 1 to ${most}`)
  return value
}
