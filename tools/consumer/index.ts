// The same from TypeScript, checked with every declaration the package brings (skipLibCheck is off) and never run.

import { createServer } from 'node:http'
import { MessageChannel } from 'node:worker_threads'
import {
  createDevKernel,
  inProcessNetwork,
  type Kernel,
  KernelError,
  keySeal,
  memoryStorage,
  type Pgp,
  type ReplicationTransport,
  type RsaPort,
  type Storage,
  type TokenView,
} from 'strongroom'
import { awsCloud, type IamModule, type StsModule } from 'strongroom/cloud/aws'
import { type ConfigService, createConfigService } from 'strongroom/configsvc'
import { type KernelContext, kernelContext } from 'strongroom/context'
import { forgeRsa } from 'strongroom/crypto/forge'
import { mongodbPlugin } from 'strongroom/database/mongodb'
import { type MysqlModule, mysqlPlugin } from 'strongroom/database/mysql'
import { type PgModule, postgresqlPlugin } from 'strongroom/database/postgresql'
import { kv, transit } from 'strongroom/engines'
import { acceptList, fetchHandler, requestListener } from 'strongroom/http'
import { createKernel as createChosen } from 'strongroom/kernel'
import { httpsKeySets } from 'strongroom/key-sets/https'
import { type Logger, logTo } from 'strongroom/log'
import { kubernetesEnvironment, kubernetesTokenReviewer } from 'strongroom/orchestrator/kubernetes'
import { openpgp } from 'strongroom/pgp/openpgp'
import { prometheusMetrics } from 'strongroom/prometheus'
import { tcpTransport } from 'strongroom/replication/tcp'
import { workerTransport } from 'strongroom/replication/worker'
import { etcdStorage } from 'strongroom/storage/etcd'
import { lmdbStorage } from 'strongroom/storage/lmdb'
import { type PgPool, postgresqlStorage } from 'strongroom/storage/postgresql'
import { awsSync } from 'strongroom/sync/aws'
import { azureSync } from 'strongroom/sync/azure'
import { githubSync } from 'strongroom/sync/github'
import { googleSync } from 'strongroom/sync/google'
import { vercelSync } from 'strongroom/sync/vercel'
import {
  fakeClock,
  fakeCloudProvider,
  fakeDatabasePlugin,
  fakeSyncDestination,
  fakeTokenReviewer,
  simulatedNetwork,
} from 'strongroom/testing'

const storage: Storage = lmdbStorage({ path: 'store' })
export const pgp: Pgp = openpgp()
export const rsa: Promise<RsaPort> = forgeRsa()
export const cluster = {
  tokenReviewer: kubernetesTokenReviewer({ timeoutMs: 5000 }),
  localEnvironment: kubernetesEnvironment(),
  keySets: httpsKeySets({ timeoutMs: 5000 }),
}

export const transports: ReplicationTransport[] = [
  inProcessNetwork(),
  tcpTransport({ advertise: 'node-1.example' }),
  workerTransport({ peers: { primary: new MessageChannel().port1 } }),
  simulatedNetwork({ clock: fakeClock(), seed: 1, delayMs: [5, 20], loss: 0.1 }).at('primary'),
]

export const shared = (pool: PgPool): Storage => postgresqlStorage({ pool, schema: 'app', table: 'secrets' })

export const distributed: Storage = etcdStorage({ hosts: ['https://10.0.0.1:2379', 'https://10.0.0.2:2379'], tls: { ca: '' } })

export const databases = (pg: PgModule, mysql2: MysqlModule, mongodb: Parameters<typeof mongodbPlugin>[0]['mongodb']) => ({
  'postgresql-database-plugin': postgresqlPlugin({ pg }),
  'mysql-database-plugin': mysqlPlugin({ mysql2 }),
  'mongodb-database-plugin': mongodbPlugin({ mongodb }),
  fake: fakeDatabasePlugin(),
})

export const clouds = (iam: IamModule, sts: StsModule) => [
  awsCloud(),
  awsCloud({ iam, sts, deadlineMs: 5000 }),
  fakeCloudProvider(),
]

export const sync = [
  awsSync({ environment: process.env }),
  azureSync({ hosts: (name) => name.endsWith('.private.example') }),
  googleSync({ endpoint: 'https://secretmanager.example' }),
  githubSync({ fetch }),
  vercelSync({ endpoint: 'https://vercel.example' }),
  fakeSyncDestination(),
]

export async function roundTrip(kernel: Kernel, plaintext: Uint8Array): Promise<Uint8Array> {
  await kernel.transit.createKey({ name: 'orders' })
  const { ciphertext } = await kernel.transit.encrypt({ name: 'orders', plaintext })
  const text: string = ciphertext
  try {
    return (await kernel.transit.decrypt({ name: 'orders', ciphertext: text })).plaintext
  } catch (error) {
    if (error instanceof KernelError && error.code === 'ERR_DECRYPTION_FAILED') return new Uint8Array(0)
    throw error
  }
}

export async function main(): Promise<void> {
  await using kernel = await createDevKernel({ clock: fakeClock(), storage: memoryStorage(), seal: keySeal(new Uint8Array(32)) })
  await roundTrip(kernel, new Uint8Array(1))
  acceptList(createServer(requestListener(kernel))).close()
  const answer: Response = await fetchHandler(kernel)(new Request('http://localhost/v1/sys/health'))
  await answer.json()
  // @ts-expect-error a name is needed
  await kernel.transit.encrypt({ plaintext: new Uint8Array(1) })
  // @ts-expect-error bytes, not base64
  await kernel.transit.encrypt({ name: 'orders', plaintext: 'AQ==' })
  const { signal } = new AbortController()
  const reviewRequest = { host: 'https://api.example', caCert: null, bearer: 'reviewer', token: 'token', audiences: [] }
  const authenticated: boolean = (await fakeTokenReviewer().review(reviewRequest, signal)).authenticated
  if (authenticated) await cluster.localEnvironment.serviceAccountToken(signal)
  await storage.close()
}

/** The second service, of its own and on a kernel. */
export async function second(kernel: Kernel): Promise<string | undefined> {
  await using service = await createConfigService({ storage: memoryStorage(), plaintext: true, clock: fakeClock() })
  const either: readonly ConfigService[] = [service, kernel.configsvc]
  const token = await service.tokens.create({ Policies: [{ Name: 'web' }], ExpirationTTL: '8h' })
  for await (const roles of service.as(token.SecretID).roles.watch('list')) return roles[0]?.Policies?.[0]?.Name
  // @ts-expect-error only reads can be watched
  service.roles.watch('delete')
  createServer(requestListener(either[0] as ConfigService)).close()
  return undefined
}

/** The events of the chosen engines are typed, also for a kernel that has only these engines. */
export async function subscribes(): Promise<number> {
  let version = 0
  const kernel = await createChosen({ engines: [transit(), kv()], storage, seal: keySeal(new Uint8Array(32)) })
  kernel.events.on('key.rotated', ({ version: latest }) => {
    version = latest
  })
  kernel.events.on('secret.written', ({ path }) => path.length)
  // @ts-expect-error no such event
  kernel.events.on('key.turned', () => {})
  return version
}

export async function observed(kernel: Kernel, logger: Logger): Promise<string> {
  const stop = logTo(kernel, logger)
  const metrics = prometheusMetrics(kernel, { labels: { app: 'orders' } })
  const context: KernelContext<TokenView> = kernelContext(kernel)
  await context.run('token', async () => context.current().transit.readKey({ name: 'orders' }), { requestId: 'a' })
  const text: string = await metrics.text()
  metrics.close()
  stop()
  return text
}
