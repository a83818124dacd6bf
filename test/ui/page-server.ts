/** A server with the operator's page, for tests in a browser. */

import { createDevKernel, createKernel, inProcessNetwork, type Kernel, keySeal, memoryStorage } from '../../src/index.ts'
import { openHttpServer } from '../../src/server/http-server.ts'
import { type FakeDatabasePlugin, fakeDatabasePlugin } from '../../src/testing/index.ts'
import { AuditTail, operatorSources, type UiSources, uiHandler } from '../../src/ui/index.ts'

export const NAMING = { ciphertextPrefix: 'vault', headerPrefix: 'X-Vault' }

export interface PageServer {
  readonly url: string
  readonly close: () => Promise<void>
}

/** Serves the API of a kernel and the page. */
export async function servePage(
  kernel: Kernel,
  sources: UiSources = operatorSources(kernel, { headerPrefix: NAMING.headerPrefix }),
): Promise<PageServer> {
  const ui = uiHandler({ headerPrefix: NAMING.headerPrefix, sources })
  const server = await openHttpServer('servePage', kernel, { port: 0 }, { pages: { ui } })
  return { url: `${server.address}/ui/`, close: () => server.stop() }
}

export interface OperatedServer extends PageServer {
  readonly kernel: Kernel
  readonly token: string
  readonly database: FakeDatabasePlugin
}

/** These names are stored wherever a name may have any character. Each of them would run a script if it were parsed as HTML. */
export const HOSTILE = '<img src=x onerror="window.attacked=1"><script>window.attacked=1</script>'

/** Opens a primary with a secondary, keys, leases, failed work, policies and namespaces. */
export async function openOperatedServer(): Promise<OperatedServer> {
  const network = inProcessNetwork()
  const database = fakeDatabasePlugin()
  const tail = new AuditTail()
  const kernel = await createDevKernel({
    naming: NAMING,
    ports: {
      databases: { fake: database },
      replication: network,
      audit: { sinks: { log: { sink: tail.around({ write() {} }), description: HOSTILE } } },
    },
    replication: { clusterAddress: 'primary', apiAddress: 'https://primary.example' },
  })
  const { transit } = kernel
  await transit.createKey({ name: 'orders', auto_rotate_period: 30 * 86_400 })
  for (let turn = 0; turn < 3; turn++) await transit.rotateKey({ name: 'orders' })
  await transit.encrypt({ name: 'orders', plaintext: new Uint8Array(8) })
  await transit.createKey({ name: 'signatures', type: 'ed25519', exportable: true })
  for (let number = 0; number < 120; number++)
    await transit.createKey({ name: `tenant-${String(number).padStart(3, '0')}`, auto_rotate_period: (number + 1) * 86_400 })
  await kernel.mounts.createMount({ path: 'billing', type: 'transit', description: HOSTILE })
  await kernel.namespaces.createNamespace({ name: 'team-a', custom_metadata: { contact: HOSTILE } })
  await kernel.namespaces.createNamespace({ name: '<img-src=x-onerror=alert()>' })
  await kernel.policies.writePolicy({
    name: 'orders',
    policy: 'path "secret/orders/*" {\n  capabilities = ["read", "list"]\n}\n',
  })
  await kernel.policies.writePolicy({
    name: HOSTILE.toLowerCase().replaceAll('/', ''),
    policy: `# ${HOSTILE}\npath "secret/<b>/*" {\n  capabilities = ["read"]\n}\n`,
  })
  await addLeases(kernel, database)
  const secondary = await addSecondary(kernel, network)
  const served = await servePage(kernel, operatorSources(kernel, { headerPrefix: NAMING.headerPrefix, auditTail: tail }))
  return {
    ...served,
    kernel,
    token: kernel.rootToken as string,
    database,
    close: async () => {
      await served.close()
      await secondary.close()
      await kernel.close()
    },
  }
}

async function addLeases(kernel: Kernel, plugin: FakeDatabasePlugin): Promise<void> {
  const { database } = kernel
  plugin.addUser('owner', 'first')
  const login = { username: 'root', password: 'root-password' }
  await database.writeConnection({ name: 'db', plugin_name: 'fake', connection_url: 'fake:', allowed_roles: ['*'], ...login })
  for (const [name, ttl] of [
    ['reports', 3600],
    ['billing', 600],
  ] as const)
    await database.writeRole({ name, db_name: 'db', creation_statements: ['CREATE'], default_ttl: ttl, max_ttl: 86_400 })
  for (let number = 0; number < 5; number++) await database.creds({ name: number % 2 === 0 ? 'reports' : 'billing' })
  plugin.trouble({ call: 'deleteUser', manner: 'unreachable', times: 1000 })
  // The leases end, and the database does not answer.
  await kernel.leases.revokePrefix({ prefix: 'database/creds/billing' }).catch(() => {})
  await kernel.tick()
}

async function addSecondary(primary: Kernel, network: ReturnType<typeof inProcessNetwork>): Promise<Kernel> {
  await primary.replication.enablePrimary()
  const { wrap_info } = await primary.replication.createSecondaryToken({ id: 'frankfurt' })
  await primary.replication.createSecondaryToken({ id: HOSTILE.replaceAll('/', '') })
  const secondary = await createKernel({
    storage: memoryStorage(),
    seal: keySeal(new Uint8Array(32).fill(7)),
    initialize: true,
    ports: { replication: network },
    replication: { clusterAddress: 'secondary', apiAddress: 'https://secondary.example' },
  })
  await secondary.replication.enableSecondary({ token: wrap_info?.token ?? '' })
  secondary.start({ unref: true })
  while (((await primary.replication.readStatus()).secondaries ?? []).length === 0)
    await new Promise((resolve) => setTimeout(resolve, 50))
  return secondary
}
