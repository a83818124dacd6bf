/**
 * What the transport is made from.
 */
import { type OptionDuration, type OptionNames, type ReadOptions, readOptions } from '../../core/base/options.ts'
import { isHost } from './address.ts'

export interface TcpTransportOptions {
  /**
   * The host by which others reach this machine: a name, or an IP address without brackets. It replaces the host in the address that
   * `listen` returns, for those that listen at all interfaces. Default: the host as it was asked for.
   */
  readonly advertise?: string
  /**
   * The most connections that a listener keeps. A further one takes the place of the oldest that has carried no message of a member yet, of
   * the address that has the most of these; if no stranger is connected, the new connection is closed at once. 1 to 65,535, default 1024.
   */
  readonly maxConnections?: number
  /**
   * The most connections of one address (IPv6: of one /64 network) that have carried no message of a member yet; a further one takes the
   * place of the oldest. 1 to 65,535, default 128.
   */
  readonly maxStrangersPerAddress?: number
  /** Milliseconds after which, or up to half as many later, a connection is closed that has carried no message of a member. Default 30,000. */
  readonly strangerMs?: OptionDuration
  /**
   * The most messages of a connection that a listener has under way, until their answers are written; further ones wait outside. 1 to
   * 65,535, default 64.
   */
  readonly maxRequests?: number
  /**
   * Milliseconds after which a connection is closed on which nothing happens and nothing is under way, or whose peer takes nothing of
   * what is written. A listener waits twice as long, so that it does not close what a requester is about to use. Default 60,000.
   */
  readonly idleMs?: OptionDuration
  /** Milliseconds in which a connection must be made, and every message arrive from its first byte on. Default 30,000. */
  readonly stallMs?: OptionDuration
}

export interface TcpSettings extends Required<Omit<ReadOptions<TcpTransportOptions>, 'advertise'>> {
  readonly advertise: string | undefined
}

const MAX_MS = 2 ** 30 - 1
const MAX_COUNT = 65_535

/** @throws TypeError */
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
    throw new TypeError('advertise: must be the name or the IP address of a host')
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
