import { readOptions } from '../../core/base/options.ts'
import type { SyncDestination, SyncRules } from '../../sys/sync/port.ts'
import { parseEndpoint } from '../sync/config.ts'
import { type Fetch, RestClient } from '../sync/rest-client.ts'
import { openVercelSession } from './session.ts'
import { validateVercelConfig, vercelProjectOf } from './settings.ts'

const VERCEL_RULES: SyncRules = {
  maxNameLength: 256,
  // Vercel limits all variables of a deployment together to this size, and checks that itself.
  maxValueBytes: 65_536,
  granularityDefault: 'secret-key',
  tags: false,
  marks: true,
  normalizeName(raw) {
    const name = raw.replace(/[^A-Za-z0-9_]/gu, '_')
    return /^[A-Za-z]/.test(name) ? name : `ENV_${name}`
  },
  foldName: (name) => name,
}

export interface VercelSyncOptions {
  /** The URL of the API. Default: `https://api.vercel.com`. */
  readonly endpoint?: string
  /** Default: the platform's `fetch`. */
  readonly fetch?: Fetch
}

const ENDPOINT = 'https://api.vercel.com'
/** The maximum size of a response. A list contains all variables of a project with their encrypted values. */
const MAX_RESPONSE_BYTES = 8_388_608

/**
 * The environment variables of a Vercel project as a destination of secret sync, through the REST API. The variables have the type
 * `encrypted`, and one variable covers all `deployment_environments`.
 * @throws TypeError for an endpoint that is not a URL.
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
