/**
 * What a destination was configured with.
 */
import type { SyncConfig } from '../../sys/sync/port.ts'

/** A text that is there; undefined for an empty one. */
export function configText(config: SyncConfig, field: string): string | undefined {
  const value = config[field]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** An endpoint that an application gives. @throws TypeError where it is no URL of HTTP. */
export function parseEndpoint(caller: string, endpoint: string | undefined): URL | undefined {
  if (endpoint === undefined) return undefined
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw new TypeError(`${caller}: endpoint has to be a URL of http or https`)
  return url
}
