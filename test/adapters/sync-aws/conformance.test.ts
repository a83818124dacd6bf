import { afterAll, test } from 'vitest'
import { syncDestinationConformance } from '../../../src/testing/index.ts'
import { awsWorld } from '../../fixtures/sync/aws-world.ts'

const { server, destination, config, stop } = await awsWorld()
afterAll(stop)

syncDestinationConformance({
  name: 'cloud-a-sm',
  destination,
  config: () => config,
  wrong: (config) => ({ ...config, secret_access_key: 'not-the-secret' }),
  read: (name) => server.values().get(name),
  tags: (name) => Object.fromEntries(server.entry(name)!.tags),
  test,
})
