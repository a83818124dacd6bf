/** The adapter of GitHub Actions holds to the contract, over a loopback server. */
import { afterAll, test } from 'vitest'
import { repohost } from '../../../src/adapters/sync-repohost/index.ts'
import { syncDestinationConformance } from '../../../src/testing/index.ts'
import { startRepohost } from '../../fixtures/sync/repohost.ts'

const server = await startRepohost()
afterAll(() => server.stop())

syncDestinationConformance({
  name: 'repohost',
  destination: repohost({ endpoint: server.url }),
  config: () => ({ access_token: 'ghp_token', repository_owner: 'acme', repository_name: 'shop' }),
  wrong: (config) => ({ ...config, access_token: 'ghp_unknown' }),
  read: (name) => server.values().get(name),
  test,
})
