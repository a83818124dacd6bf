import { afterAll, test } from 'vitest'
import { vercelSync } from '../../../src/adapters/sync-vercel/index.ts'
import { syncDestinationConformance } from '../../../src/testing/index.ts'
import { startVercelServer } from '../../fixtures/sync/vercel.ts'

const server = await startVercelServer()
afterAll(() => server.stop())

syncDestinationConformance({
  name: 'webhost-project',
  destination: vercelSync({ endpoint: server.url }),
  config: () => ({ access_token: 'vercel_token', project_id: 'prj_shop', deployment_environments: ['production', 'preview'] }),
  wrong: (config) => ({ ...config, access_token: 'vercel_unknown' }),
  read: (name) => server.values().get(name),
  test,
})
