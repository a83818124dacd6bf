/** Addresses of the form `host:port`, with IPv6 addresses in brackets. */
import { isIPv6 } from 'node:net'

export interface HostAndPort {
  /** IPv6 addresses have no brackets here. */
  readonly host: string
  /** When listening, 0 selects any free port. */
  readonly port: number
}

const ADDRESS = /^(?:\[([^[\]]+)\]|([^:[\]]+)):(\d{1,5})$/
const NAME = /^[\w.-]{1,253}$/

export const isHost = (host: string): boolean => NAME.test(host) || isIPv6(host)

/** @throws TypeError if the address has another form. */
export function parseHostAndPort(address: string): HostAndPort {
  const [, bracketed, name, digits] = (typeof address === 'string' && ADDRESS.exec(address)) || []
  const port = Number(digits)
  const host = bracketed ?? name
  const good = bracketed === undefined ? name !== undefined && NAME.test(name) : isIPv6(bracketed)
  if (host === undefined || !good || port > 65_535)
    throw new TypeError('address: must be host:port, with IPv6 addresses in brackets')
  return { host, port }
}

export const formatHostAndPort = ({ host, port }: HostAndPort): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
