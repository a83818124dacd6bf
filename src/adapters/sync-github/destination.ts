/**
 * GitHub Actions as a destination of secret sync.
 */

import { type Entropy, systemEntropy } from '../../core/base/entropy.ts'
import { readOptions } from '../../core/base/options.ts'
import type { SyncDestination } from '../../sys/sync/port.ts'
import { parseEndpoint } from '../sync/config.ts'
import { type Fetch, RestClient } from '../sync/rest-client.ts'
import { GITHUB_RULES } from './rules.ts'
import { openGithubSession } from './session.ts'
import { repositoryOf, validateGithubConfig } from './settings.ts'

export interface GithubSyncOptions {
  /** Where the store is asked: a URL, with the path that its API has there. Default: `https://api.github.com`. */
  readonly endpoint?: string
  /** Default: the platform's own. */
  readonly fetch?: Fetch
  /** Of the keys that values are sealed with. Default: the system's. */
  readonly entropy?: Entropy
}

const ENDPOINT = 'https://api.github.com'
/** Keys and descriptions take far less. */
const MAX_RESPONSE_BYTES = 65_536

/**
 * Secrets that GitHub Actions has of a repository, by its REST API. Nobody can read them back.
 *
 * Permissions of the token: `secrets` of the repository, read and write.
 * @throws TypeError for an endpoint that is no URL.
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
