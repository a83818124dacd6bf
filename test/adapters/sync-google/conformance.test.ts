import { generateKeyPairSync } from 'node:crypto'
import { afterAll, test } from 'vitest'
import { syncDestinationConformance } from '../../../src/testing/index.ts'
import { googleWorld } from '../../fixtures/sync/google-world.ts'

const { server, destination, config, stop } = await googleWorld()
afterAll(stop)

const otherKey = (): string =>
  generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

syncDestinationConformance({
  name: 'cloud-c-sm',
  destination,
  config: () => config,
  wrong: (config) => ({ ...config, credentials: JSON.stringify({ ...JSON.parse(server.credentials), private_key: otherKey() }) }),
  read: (name) => server.values().get(name),
  tags: (name) => server.entry(name)!.labels,
  test,
})
