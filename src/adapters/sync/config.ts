import type { SyncConfig } from '../../sys/sync/port.ts'

/** Returns a string of the configuration; undefined if it is empty or missing. */
export function configText(config: SyncConfig, field: string): string | undefined {
  const value = config[field]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Parses the option `endpoint` of a destination. @throws TypeError if it is not an http or https URL. */
export function parseEndpoint(caller: string, endpoint: string | undefined): URL | undefined {
  if (endpoint === undefined) return undefined
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw new TypeError(`${caller}: endpoint: must be an http or https URL`)
  return url
}
