import { afterAll, test } from 'vitest'
import { githubSync } from '../../../src/adapters/sync-github/index.ts'
import { syncDestinationConformance } from '../../../src/testing/index.ts'
import { startGithubServer } from '../../fixtures/sync/github.ts'

const server = await startGithubServer()
afterAll(() => server.stop())

syncDestinationConformance({
  name: 'repohost',
  destination: githubSync({ endpoint: server.url }),
  config: () => ({ access_token: 'ghp_token', repository_owner: 'acme', repository_name: 'shop' }),
  wrong: (config) => ({ ...config, access_token: 'ghp_unknown' }),
  read: (name) => server.values().get(name),
  test,
})
