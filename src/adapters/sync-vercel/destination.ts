/**
 * Vercel projects as a destination of secret sync.
 */
import { readOptions } from '../../core/base/options.ts'
import type { SyncDestination } from '../../sys/sync/port.ts'
import { endpointOf } from '../sync/config.ts'
import { type Fetch, Rest } from '../sync/rest.ts'
import { RULES } from './rules.ts'
import { openSession } from './session.ts'
import { projectOf, validate } from './settings.ts'

export interface VercelSyncOptions {
  /** Where the store is asked: a URL. Default: `https://api.vercel.com`. */
  readonly endpoint?: string
  /** Default: the platform's own. */
  readonly fetch?: Fetch
}

const ENDPOINT = 'https://api.vercel.com'
/** A list has all variables of a project with their encrypted values. */
const LONGEST_ANSWER = 8_388_608

/**
 * Environment variables of a Vercel project, by its REST API: of type `encrypted`, one for all `deployment_environments`.
 * @throws TypeError for an endpoint that is no URL.
 */
export function vercelSync(options: VercelSyncOptions = {}): SyncDestination {
  const { endpoint = ENDPOINT, fetch } = readOptions('vercelSync', options, { endpoint: 1, fetch: 1 })
  const url = endpointOf('vercelSync', endpoint) as URL
  return {
    type: 'webhost-project',
    rules: RULES,
    validate,
    open(config) {
      const project = projectOf(config)
      const { token } = project
      const headers = { accept: 'application/json' }
      return openSession(new Rest({ endpoint: url, fetch, token, headers, longest: LONGEST_ANSWER }), project)
    },
  }
}
