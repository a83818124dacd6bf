/**
 * Vercel projects as a destination of secret sync.
 */
import { readOptions } from '../../core/base/options.ts'
import type { SyncDestination } from '../../sys/sync/port.ts'
import { parseEndpoint } from '../sync/config.ts'
import { type Fetch, RestClient } from '../sync/rest-client.ts'
import { VERCEL_RULES } from './rules.ts'
import { openVercelSession } from './session.ts'
import { validateVercelConfig, vercelProjectOf } from './settings.ts'

export interface VercelSyncOptions {
  /** Where the store is asked: a URL. Default: `https://api.vercel.com`. */
  readonly endpoint?: string
  /** Default: the platform's own. */
  readonly fetch?: Fetch
}

const ENDPOINT = 'https://api.vercel.com'
/** A list has all variables of a project with their encrypted values. */
const MAX_RESPONSE_BYTES = 8_388_608

/**
 * Environment variables of a Vercel project, by its REST API: of type `encrypted`, one for all `deployment_environments`.
 * @throws TypeError for an endpoint that is no URL.
 */
export function vercelSync(options: VercelSyncOptions = {}): SyncDestination {
  const { endpoint = ENDPOINT, fetch } = readOptions('vercelSync', options, { endpoint: 1, fetch: 1 })
  const url = parseEndpoint('vercelSync', endpoint) as URL
  return {
    type: 'webhost-project',
    rules: VERCEL_RULES,
    validate: validateVercelConfig,
    open(config) {
      const project = vercelProjectOf(config)
      const { token } = project
      const headers = { accept: 'application/json' }
      return openVercelSession(
        new RestClient({ endpoint: url, fetch, token, headers, maxResponseBytes: MAX_RESPONSE_BYTES }),
        project,
      )
    },
  }
}
