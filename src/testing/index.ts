/** `strongroom/testing`: fakes of the ports, storages that fail on demand, and conformance suites for adapters. */

export type { DevConfigServer, DevConfigServerOptions } from '../server/dev-config-server.ts'
export type { DevServer, DevServerOptions } from '../server/dev-server.ts'
export { type ChaoticStorageOptions, chaoticStorage } from './chaotic-storage.ts'
export type { CloudCallRecord, FakeCloud, FakeCloudSetup, FakeCloudUserDetails } from './cloud/fake-cloud.ts'
export { type FakeCloudProvider, type FakeCloudProviderOptions, fakeCloudProvider } from './cloud/fake-cloud-provider.ts'
export type { FakeCloudGroup, FakeCloudOptions } from './cloud/options.ts'
export {
  FAKE_CLOUD_EXTRAS,
  type FakeCloudDelays,
  type FakeCloudExtra,
  type FakeCloudKey,
  type FakeCloudUser,
} from './cloud/state.ts'
export type { CloudCall, CloudTrouble } from './cloud/trouble.ts'
export { cloudProviderConformance } from './conformance/cloud.ts'
export type { CloudConformanceFixture } from './conformance/cloud-bench.ts'
export { databasePluginConformance } from './conformance/database.ts'
export type { DatabaseConformanceFixture } from './conformance/database-bench.ts'
export type { ApplicationTransaction } from './conformance/joins.ts'
export { type ConformanceFixture, type Supports, storageConformance } from './conformance/storage.ts'
export { syncDestinationConformance } from './conformance/sync.ts'
export type { SyncConformanceFixture } from './conformance/sync-bench.ts'
export { Crashed, type CrashingStorage, type CrashingStorageOptions, crashingStorage } from './crashing-storage.ts'
export { devConfigServer, devServer } from './dev-server.ts'
export { type FakeClock, fakeClock } from './fake-clock.ts'
export {
  type DatabaseCall,
  type DatabaseTrouble,
  type FakeDatabasePlugin,
  type FakeDatabasePluginOptions,
  type FakeDatabaseUser,
  fakeDatabasePlugin,
} from './fake-database-plugin.ts'
export { type FakeLocalEnvironmentOptions, fakeLocalEnvironment } from './fake-local-environment.ts'
export { type FakeManagedKeys, type FakeManagedKeysOptions, fakeManagedKeys } from './fake-managed-keys.ts'
export { type FakePgp, fakePgp } from './fake-pgp.ts'
export { type FakeTokenReviewer, fakeTokenReviewer } from './fake-token-reviewer.ts'
export {
  type Fault,
  type FaultPlan,
  type FaultyStorage,
  type FaultyStorageOptions,
  faultyStorage,
  type StorageCall,
  StorageFault,
} from './faulty-storage.ts'
export type { StorageMethod } from './intercepted-storage.ts'
export { seededEntropy } from './seeded-entropy.ts'
export { type SimulatedNetwork, type SimulatedNetworkOptions, simulatedNetwork } from './simulated-network.ts'
export {
  type FakeSyncCall,
  type FakeSyncDestination,
  type FakeSyncDestinationOptions,
  fakeSyncDestination,
} from './sync/fake-sync-destination.ts'
export type { FakeSyncType } from './sync/rules.ts'
export type { FakeSyncMethod, FakeSyncTrouble } from './sync/trouble.ts'
