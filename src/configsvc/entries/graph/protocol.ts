import type { GraphEntryReader, ProxyDefaults, ServiceDefaults } from './graph-entries.ts'

const HTTP_LIKE: ReadonlySet<string> = new Set(['http', 'http2', 'grpc'])

/** Whether the protocol has separate requests, as routing, splitting and permissions require. */
export const isHttpLike = (protocol: string): boolean => HTTP_LIKE.has(protocol)

export const ownProtocol = ({ Protocol }: ServiceDefaults): string => Protocol?.toLowerCase() || 'tcp'

export function defaultProtocol(defaults: ProxyDefaults | undefined): string {
  const said = defaults?.Config?.['protocol']
  // The member may have any JSON type. A scalar is converted to text; anything else is ignored.
  return said === null || typeof said === 'object' ? 'tcp' : String(said ?? '').toLowerCase() || 'tcp'
}

/** A service-defaults entry replaces the global defaults, even if it names no protocol. */
export function protocolOf(entries: GraphEntryReader, service: string): string {
  const defaults = entries.get('service-defaults', service)
  return defaults ? ownProtocol(defaults) : defaultProtocol(entries.get('proxy-defaults', 'global'))
}
