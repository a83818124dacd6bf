/** The adapter of Vercel holds to the contract, over a loopback server. */
import { afterAll, test } from 'vitest'
import { webhostProject } from '../../../src/adapters/sync-webhost-project/index.ts'
import { syncDestinationConformance } from '../../../src/testing/index.ts'
import { startWebhostProject } from '../../fixtures/sync/webhost-project.ts'

const server = await startWebhostProject()
afterAll(() => server.stop())

syncDestinationConformance({
  name: 'webhost-project',
  destination: webhostProject({ endpoint: server.url }),
  config: () => ({ access_token: 'vercel_token', project_id: 'prj_shop', deployment_environments: ['production', 'preview'] }),
  wrong: (config) => ({ ...config, access_token: 'vercel_unknown' }),
  read: (name) => server.values().get(name),
  test,
})
