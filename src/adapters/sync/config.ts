import type { SyncConfig } from '../../sys/sync/port.ts'

/** Undefined for an empty text. */
export function configText(config: SyncConfig, field: string): string | undefined {
  const value = config[field]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The endpoint option of a destination. @throws TypeError if it is not an HTTP URL. */
export function parseEndpoint(caller: string, endpoint: string | undefined): URL | undefined {
  if (endpoint === undefined) return undefined
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw new TypeError(`${caller}: endpoint: must be an http or https URL`)
  return url
}
