import { afterAll, test } from 'vitest'
import { syncDestinationConformance } from '../../../src/testing/index.ts'
import { azureWorld } from '../../fixtures/sync/azure-world.ts'

const { server, destination, config, stop } = await azureWorld({ moment: 0 })
afterAll(stop)

syncDestinationConformance({
  name: 'cloud-b-kv',
  destination,
  config: () => config,
  wrong: (config) => ({ ...config, client_secret: 'not-the-secret' }),
  read: (name) => server.values().get(name),
  tags: (name) => server.entry(name)!.versions.at(-1)!.tags,
  test,
})
