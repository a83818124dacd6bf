/** Every public function with options refuses unknown names, so that a misspelled option is never ignored. */
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fileAudit, fileAuditFactory } from '../../src/adapters/audit-file/index.ts'
import { httpAudit, httpAuditFactory } from '../../src/adapters/audit-http/index.ts'
import { socketAuditFactory, syslogAudit, syslogAuditFactory } from '../../src/adapters/audit-syslog/index.ts'
import { awsCloud } from '../../src/adapters/cloud-aws/index.ts'
import { kernelContext } from '../../src/adapters/context/index.ts'
import { mongodbPlugin } from '../../src/adapters/database-mongodb/index.ts'
import { mysqlPlugin, mysqlPool } from '../../src/adapters/database-mysql/index.ts'
import { postgresqlPlugin, postgresqlPool } from '../../src/adapters/database-postgresql/index.ts'
import { strongroomPlugin } from '../../src/adapters/fastify/index.ts'
import { fetchHandler, requestListener } from '../../src/adapters/http/index.ts'
import { httpsKeySets } from '../../src/adapters/key-sets-https/index.ts'
import { prometheusMetrics } from '../../src/adapters/metrics-prometheus/index.ts'
import { StrongroomModule } from '../../src/adapters/nestjs/index.ts'
import { kubernetesEnvironment, kubernetesTokenReviewer } from '../../src/adapters/orchestrator-kubernetes/index.ts'
import { tcpTransport } from '../../src/adapters/replication-tcp/index.ts'
import { workerTransport } from '../../src/adapters/replication-worker/index.ts'
import { etcdStorage } from '../../src/adapters/storage-etcd/index.ts'
import { lmdbStorage } from '../../src/adapters/storage-lmdb/index.ts'
import { postgresqlStorage } from '../../src/adapters/storage-postgresql/index.ts'
import { awsSync } from '../../src/adapters/sync-aws/index.ts'
import { azureSync } from '../../src/adapters/sync-azure/index.ts'
import { githubSync } from '../../src/adapters/sync-github/index.ts'
import { googleSync } from '../../src/adapters/sync-google/index.ts'
import { vercelSync } from '../../src/adapters/sync-vercel/index.ts'
import { instrument } from '../../src/adapters/telemetry-otel/index.ts'
import { nodeWorkers } from '../../src/adapters/workers-node/index.ts'
import {
  backupStorage,
  copyStorage,
  createDevKernel,
  createKernel,
  type Kernel,
  keySeal,
  memoryStorage,
  nobleCrypto,
  restoreStorage,
  verifyAudit,
  whoUsed,
} from '../../src/index.ts'
import { migrate, planMigration } from '../../src/migrate/index.ts'
import { serveKernel } from '../../src/server/index.ts'
import * as testing from '../../src/testing/index.ts'
import { operatorSources, uiHandler } from '../../src/ui/index.ts'

type Options = Readonly<Record<string, unknown>>
// biome-ignore lint/suspicious/noExplicitAny: the options are wrong on purpose.
type Wrong = any

const memory = memoryStorage
const entropy = testing.seededEntropy('options')
let kernel: Kernel

/** For each options interface: the functions that accept it. */
const TAKERS: Readonly<Record<string, readonly ((options: Wrong) => unknown)[]>> = {
  AsOptions: [(options) => kernel.as('token', options)],
  AsyncModuleOptions: [(options) => StrongroomModule.forRootAsync({ useFactory: () => kernel, ...options })],
  AwsCloudOptions: [awsCloud],
  AwsSyncOptions: [awsSync],
  AzureSyncOptions: [azureSync],
  BackupOptions: [(options) => backupStorage(memory(), options).next(), (options) => kernel.backup(options).next()],
  CallOptions: [(options) => kernel.transit.readKey({ name: 'k' }, options)],
  ChaoticStorageOptions: [(options) => testing.chaoticStorage(memory(), { entropy, ...options })],
  CopyOptions: [(options) => copyStorage(memory(), memory(), options)],
  CrashingStorageOptions: [(options) => testing.crashingStorage(memory(), options)],
  CredentialSourceOptions: [(options) => kernel.database.credentialSource({ role: 'app', ...options })],
  DevConfigServerOptions: [testing.devConfigServer],
  DevKernelOptions: [createDevKernel],
  DevServerOptions: [testing.devServer],
  EtcdStorageOptions: [(options) => etcdStorage({ hosts: 'http://127.0.0.1:2379', ...options })],
  FakeCloudProviderOptions: [testing.fakeCloudProvider],
  FakeDatabasePluginOptions: [testing.fakeDatabasePlugin],
  FakeLocalEnvironmentOptions: [testing.fakeLocalEnvironment],
  FakeManagedKeysOptions: [(options) => testing.fakeManagedKeys({ keys: [], ...options })],
  FakeSyncDestinationOptions: [testing.fakeSyncDestination],
  FaultyStorageOptions: [(options) => testing.faultyStorage(memory(), () => undefined, options)],
  FetchOptions: [(options) => fetchHandler(kernel, options)],
  FileAuditFactoryOptions: [(options) => fileAuditFactory({ directory: tmpdir(), ...options })],
  FileAuditOptions: [(options) => fileAudit({ path: `${tmpdir()}/never-written`, ...options })],
  GithubSyncOptions: [githubSync],
  GoogleSyncOptions: [googleSync],
  HttpAuditFactoryOptions: [(options) => httpAuditFactory({ targets: [{ url: 'https://logs.test' }], ...options })],
  HttpAuditOptions: [(options) => httpAudit({ url: 'https://logs.test', ...options })],
  HttpsKeySetsOptions: [httpsKeySets],
  InstrumentOptions: [(options) => instrument(kernel, options)],
  SeededKernelOptions: [(options) => createKernel({ storage: memory(), seal: keySeal(new Uint8Array(32)), ...options })],
  ServeOptions: [(options) => serveKernel(kernel, { port: 0, ...options })],
  KernelOptions: [(options) => createKernel({ storage: memory(), seal: keySeal(new Uint8Array(32)), ...options })],
  KeySealOptions: [(options) => keySeal(new Uint8Array(32), options)],
  KubernetesEnvironmentOptions: [kubernetesEnvironment],
  KubernetesTokenReviewerOptions: [kubernetesTokenReviewer],
  ListenerOptions: [(options) => requestListener(kernel, options)],
  LmdbStorageOptions: [(options) => lmdbStorage({ path: `${tmpdir()}/never-opened`, ...options })],
  MemoryStorageOptions: [memoryStorage],
  MetricsOptions: [(options) => prometheusMetrics(kernel, options)],
  ModuleOptions: [(options) => StrongroomModule.forRoot({ kernel: () => kernel, ...options })],
  MigrateOptions: [(options) => migrate({ from: kernel, to: kernel, ...options })],
  MongodbPluginOptions: [(options) => mongodbPlugin({ mongodb: { MongoClient: class {} } as Wrong, ...options })],
  MysqlPluginOptions: [(options) => mysqlPlugin({ mysql2: { createConnection: async () => ({}) as Wrong }, ...options })],
  MysqlPoolOptions: [(options) => mysqlPool({ mysql2: { createPool: () => ({}) }, config: {}, ...options })],
  NobleOptions: [nobleCrypto],
  NodeWorkersOptions: [(options) => nodeWorkers(1, options)],
  OnOptions: [(options) => kernel.events.on('*', () => undefined, options)],
  KeyHandleOptions: [(options) => kernel.transit.keyHandle('k', options)],
  PluginOptions: [(options) => strongroomPlugin({} as Wrong, { kernel, ...options })],
  OperatorSourcesOptions: [(options) => operatorSources(kernel, options)],
  PlanMigrationOptions: [(options) => planMigration({ from: kernel, ...options })],
  PostgresqlPluginOptions: [(options) => postgresqlPlugin({ pg: { Client: class {} } as Wrong, ...options })],
  PostgresqlPoolOptions: [(options) => postgresqlPool({ pg: { Pool: class {} }, config: {}, ...options })],
  PostgresqlStorageOptions: [(options) => postgresqlStorage({ pool: { connect() {} }, ...options })],
  RestoreOptions: [(options) => restoreStorage([], memory(), options)],
  RewrapAllOptions: [
    (options) => kernel.transit.rewrapAll({ name: 'k', items: [] }, options).next(),
    (options) => kernel.transit.census({ name: 'k', items: [] }, options),
  ],
  RunOptions: [(options) => kernelContext(kernel).run('token', () => undefined, options)],
  SimulatedNetworkOptions: [(options) => testing.simulatedNetwork({ clock: testing.fakeClock(), seed: 1, ...options })],
  SocketAuditFactoryOptions: [(options) => socketAuditFactory({ targets: [{ address: 'logs.test:601' }], ...options })],
  StartOptions: [(options) => kernel.start(options)],
  StreamOptions: [(options) => kernel.events.stream(options)],
  SyslogAuditOptions: [syslogAudit, syslogAuditFactory],
  TcpTransportOptions: [tcpTransport],
  TickOptions: [(options) => kernel.tick(options)],
  UiOptions: [uiHandler],
  VercelSyncOptions: [vercelSync],
  VerifyAuditOptions: [(options) => verifyAudit(kernel, { sink: 's', lines: [], ...options })],
  WhoUsedOptions: [(options) => whoUsed(kernel, { lines: [], mount: 'transit/', name: 'k', ...options })],
  WorkerTransportOptions: [(options) => workerTransport({ peers: {}, ...options })],
}

/** Options that are part of other options, and internal options. */
const OTHERS = new Set(
  [
    'AclOptions ConfigOptions OwnServiceOptions ReplicationOptions ChosenOptions', // checked with createConfigService and createKernel
    'FakeCloudOptions', // nested members of the options above
    'LongWorkOptions ListenOptions MemoryOptions PrefixOptions TravelOptions', // nested members of the options above
    'WatchOptions ReferenceOptions TextOptions RingOptions WriteOptions EntryWriteOptions DestinationOptions BuildOptions JsonRecordOptions ListOptions',
    'FillOptions CommitQueueOptions RekeyOptions TokenOptions EtcdCommitterOptions PostgresqlCommitterOptions LmdbCommitterOptions LmdbFileOptions WalkOptions ConnectionOptions',
    'GroupCommitOptions NotificationListenerOptions',
    'WireOptions RestOptions AuditSinkOptions MessageOptions',
    'ClientCertificateOptions DeleteOptions OpenApiOptions ParsedKernelOptions ParsedReplicationOptions',
    'PromoteOptions RevocationOptions ServiceRuntimeOptions UpdateOptions',
    'CommitOptions',
    'GlobalOptions UnsealOptions RewrapLinesOptions', // of the command line, which has tests of its own
    'PageOptions', // a part of ServeOptions
  ].flatMap((names) => names.split(' ')),
)

beforeAll(async () => {
  kernel = await createDevKernel()
  await kernel.transit.createKey({ name: 'k' })
})
afterAll(() => kernel.close())

/** Returns what a call throws or rejects with. */
const errorOf = async (work: () => unknown): Promise<unknown> => {
  try {
    await work()
    return undefined
  } catch (error) {
    return error
  }
}

describe('options', () => {
  it('are covered by this test or listed as exceptions, for every exported interface', () => {
    const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
    const declared = sources.flatMap((file) =>
      [...readFileSync(`src/${file}`, 'utf8').matchAll(/export interface (\w+Options)\b/g)].map(([, name]) => name!),
    )
    expect(declared.length).toBeGreaterThan(60)
    expect(declared.filter((name) => !(name in TAKERS) && !OTHERS.has(name))).toEqual([])
  })

  const WRONG: readonly Options[] = [
    { unknown_option: 1 },
    { unknownOption: undefined },
    { interval: 5 },
    { '': 1 },
    { toString: 1 },
  ]
  it.each(Object.keys(TAKERS))('are refused if they have a name that the type %s lacks', async (name) => {
    for (const take of TAKERS[name]!)
      for (const options of WRONG) {
        const error = await errorOf(() => take(options))
        expect(error, `${JSON.stringify(options)}: ${String(error)}`).toBeInstanceOf(TypeError)
        expect(String(error)).toMatch(/unknown (option|argument)|: unknown/)
      }
  })

  it('for database.credentialSource are role and static_role, and exactly one of these two is required', async () => {
    for (const options of [{ role: 'app' }, { static_role: 'app' }])
      expect(await errorOf(() => kernel.database.credentialSource(options as Wrong))).toBeUndefined()
    for (const options of [{}, { role: 'a', static_role: 'b' }, { staticRole: 'b' }, { role: 5 }])
      expect(await errorOf(() => kernel.database.credentialSource(options as Wrong))).toBeInstanceOf(TypeError)
  })

  it('are accepted in snake_case, but refused if given in snake_case and camelCase', async () => {
    const pairs: readonly [(options: Wrong) => unknown, string, string, unknown][] = [
      [tcpTransport, 'maxConnections', 'max_connections', 5],
      [memoryStorage, 'maxOps', 'max_ops', 5],
      [(options) => etcdStorage({ hosts: 'http://127.0.0.1:2379', ...options }), 'timeoutMs', ['timeout', 'ms'].join('_'), 5],
    ]
    for (const [take, camel, snake, value] of pairs) {
      expect(await errorOf(() => take({ [snake]: value }))).toBeUndefined()
      expect(await errorOf(() => take({ [snake]: 'wrong' }))).toEqual(await errorOf(() => take({ [camel]: 'wrong' })))
      expect(await errorOf(() => take({ [snake]: value, [camel]: value }))).toBeInstanceOf(TypeError)
    }
  })
})

describe('the method trouble() of a fake, which makes its calls fail,', () => {
  const FAKES: Readonly<Record<string, (trouble: Wrong) => unknown>> = {
    fakeDatabasePlugin: (trouble) => testing.fakeDatabasePlugin().trouble(trouble),
    fakeCloudProvider: (trouble) => testing.fakeCloudProvider().trouble(trouble),
    fakeSyncDestination: (trouble) => testing.fakeSyncDestination().trouble(trouble),
  }
  const WRONG: readonly unknown[] = [
    undefined,
    {},
    { call: 'dropUser', manner: 'refuses' },
    { call: 'dropUser' },
    { manner: 'explodes' },
    { manner: 'refuses', time: 3 },
    { manner: 'refuses', times: 0 },
    { manner: 'refuses', times: 'three' },
    { manner: 'refuses', when: 'later' },
  ]
  it.each(Object.keys(FAKES))('refuses failures that the fake cannot produce: %s', (name) => {
    for (const trouble of WRONG) expect(() => FAKES[name]!(trouble), JSON.stringify(trouble)).toThrow(TypeError)
  })
})
