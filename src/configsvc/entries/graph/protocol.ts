import type { GraphEntryReader, ProxyDefaults, ServiceDefaults } from './graph-entries.ts'

const HTTP_LIKE: ReadonlySet<string> = new Set(['http', 'http2', 'grpc'])

/** Whether the protocol consists of separate requests. Routing, splitting and permissions require such a protocol. */
export const isHttpLike = (protocol: string): boolean => HTTP_LIKE.has(protocol)

export const ownProtocol = ({ Protocol }: ServiceDefaults): string => Protocol?.toLowerCase() || 'tcp'

export function defaultProtocol(defaults: ProxyDefaults | undefined): string {
  const said = defaults?.Config?.['protocol']
  // `Config` may contain values of any JSON type. A scalar protocol is converted to a string; other values are ignored.
  return said === null || typeof said === 'object' ? 'tcp' : String(said ?? '').toLowerCase() || 'tcp'
}

/** A service-defaults entry replaces the global defaults as a whole, even if it names no protocol. */
export function protocolOf(entries: GraphEntryReader, service: string): string {
  const defaults = entries.get('service-defaults', service)
  return defaults ? ownProtocol(defaults) : defaultProtocol(entries.get('proxy-defaults', 'global'))
}
