import { type Entropy, systemEntropy } from '../../core/base/entropy.ts'
import { readOptions } from '../../core/base/options.ts'
import type { SyncDestination, SyncRules } from '../../sys/sync/port.ts'
import { parseEndpoint } from '../sync/config.ts'
import { type Fetch, RestClient } from '../sync/rest-client.ts'
import { openGithubSession } from './session.ts'
import { repositoryOf, validateGithubConfig } from './settings.ts'

const RESERVED = /^(?:$|[0-9]|GITHUB_)/

const GITHUB_RULES: SyncRules = {
  maxNameLength: 255,
  maxValueBytes: 49_152,
  granularityDefault: 'secret-key',
  tags: false,
  normalizeName(raw) {
    const name = raw.replace(/[^A-Za-z0-9_]/gu, '_').toUpperCase()
    return RESERVED.test(name) ? `_${name}` : name
  },
  foldName: (name) => name.toUpperCase(),
}

export interface GithubSyncOptions {
  /** The URL of the API, with its base path. Default: `https://api.github.com`. */
  readonly endpoint?: string
  /** Default: the platform's `fetch`. */
  readonly fetch?: Fetch
  /** The source of randomness for the ephemeral keys with which values are sealed. Default: the system's random generator. */
  readonly entropy?: Entropy
}

const ENDPOINT = 'https://api.github.com'
/** The maximum size of a response. Responses with keys and descriptions are far smaller. */
const MAX_RESPONSE_BYTES = 65_536

/**
 * The secrets of a repository in GitHub Actions as a destination of secret sync, through the REST API. GitHub never returns the values of
 * secrets.
 *
 * Required permission of the token: read and write access to the secrets of the repository.
 * @throws TypeError for an endpoint that is not a URL.
 */
export function githubSync(options: GithubSyncOptions = {}): SyncDestination {
  const {
    endpoint = ENDPOINT,
    fetch,
    entropy = systemEntropy(),
  } = readOptions('githubSync', options, { endpoint: 1, fetch: 1, entropy: 1 })
  const url = parseEndpoint('githubSync', endpoint) as URL
  return {
    type: 'repohost',
    rules: GITHUB_RULES,
    validate: validateGithubConfig,
    open(config) {
      const { token, path } = repositoryOf(config)
      const headers = {
        accept: 'application/vnd.github+json',
        'x-github-api-version': '2022-11-28',
      }
      const rest = new RestClient({ endpoint: url, fetch, token, headers, maxResponseBytes: MAX_RESPONSE_BYTES })
      return openGithubSession(rest, `${path}/actions/secrets`, entropy)
    },
  }
}
