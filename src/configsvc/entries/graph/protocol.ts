/**
 * Which protocol a service speaks.
 */
import type { GraphEntryReader, ProxyDefaults, ServiceDefaults } from './graph-entries.ts'

const HTTP_LIKE: ReadonlySet<string> = new Set(['http', 'http2', 'grpc'])

/** Whether requests can be told apart: what routing, splitting and permissions need. */
export const isHttpLike = (protocol: string): boolean => HTTP_LIKE.has(protocol)

export const ownProtocol = ({ Protocol }: ServiceDefaults): string => Protocol?.toLowerCase() || 'tcp'

export function defaultProtocol(defaults: ProxyDefaults | undefined): string {
  const said = defaults?.Config?.['protocol']
  // The map is free: whatever is written there reads as text, and what is no scalar says nothing.
  return said === null || typeof said === 'object' ? 'tcp' : String(said ?? '').toLowerCase() || 'tcp'
}

/** Defaults of the service hide the global ones, even where they name no protocol. */
export function protocolOf(entries: GraphEntryReader, service: string): string {
  const defaults = entries.get('service-defaults', service)
  return defaults ? ownProtocol(defaults) : defaultProtocol(entries.get('proxy-defaults', 'global'))
}
