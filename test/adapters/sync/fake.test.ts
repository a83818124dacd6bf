import { test } from 'vitest'
import { type FakeSyncType, fakeSyncDestination, syncDestinationConformance } from '../../../src/testing/index.ts'

const TYPES: readonly FakeSyncType[] = ['cloud-a-sm', 'cloud-b-kv', 'cloud-c-sm', 'repohost', 'webhost-project']

for (const type of TYPES) {
  const destination = fakeSyncDestination({ type })
  syncDestinationConformance({
    name: `fake ${type}`,
    destination,
    config: () => ({ access_token: 'token' }),
    read: (name) => destination.values.get(name),
    tags: (name) => destination.tags.get(name) ?? {},
    test,
  })
}
