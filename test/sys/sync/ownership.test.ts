/** Secrets in an external store belong to the association that created them; every other association refuses to replace or remove them. */
import { describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel, type SyncType } from '../../../src/index.ts'
import { type FakeSyncDestination, fakeClock, fakeSyncDestination } from '../../../src/testing/index.ts'
import { paces } from './world.ts'

const CONFIG: Readonly<Record<SyncType, object>> = {
  'cloud-a-sm': { region: 'eu-west-1' },
  'cloud-b-kv': { key_vault_uri: 'https://a.vault.azure.net', client_id: 'c', client_secret: 's', tenant_id: 't' },
  'cloud-c-sm': { credentials: '{}' },
  repohost: { access_token: 't', repository_owner: 'o', repository_name: 'r' },
  'webhost-project': { access_token: 't', project_id: 'p', deployment_environments: ['production'] },
}
const TYPES = Object.keys(CONFIG) as SyncType[]

/** The external name of every secret in this file. */
const NAME = 'APP'

interface Installation {
  readonly kernel: Kernel
  readonly settle: () => Promise<void>
  readonly pass: (ms: number) => Promise<void>
  /** Sends a call by path in a namespace or the root namespace and returns the status and the data. */
  readonly post: (path: string, body: object, more?: { namespace?: string; token?: string }) => Promise<Answer>
  readonly write: (value: string, at?: At) => Promise<unknown>
  readonly destination: (more?: object, at?: At) => Promise<unknown>
  readonly set: (more?: object, at?: At) => Promise<Row>
  readonly remove: (at?: At) => Promise<unknown>
}

interface At {
  readonly namespace?: string
  readonly destination?: string
  readonly token?: string
  readonly secret?: string
}
interface Answer {
  readonly status: number
  readonly data: Readonly<Record<string, unknown>>
}
interface Row {
  readonly sync_status?: string
  readonly reason?: string
  readonly status?: number
}

async function install(type: SyncType, store: FakeSyncDestination): Promise<Installation> {
  const clock = fakeClock()
  const kernel = await createDevKernel({ clock, ports: { sync: { [type]: store } } })
  const { settle, pass } = paces(kernel, clock)
  const post: Installation['post'] = async (path, body, { namespace = '', token = kernel.rootToken ?? '' } = {}) => {
    const headers = { 'X-Service-Token': token, ...(namespace && { 'X-Service-Namespace': namespace }) }
    const answer = await kernel.handle({ method: 'POST', path: `/v1/${path}`, headers, body })
    return { status: answer.status, data: (answer.body as { data?: Answer['data'] } | undefined)?.data ?? {} }
  }
  const done = async (answer: Promise<Answer>): Promise<Answer> => {
    const { status, data } = await answer
    if (status >= 300) throw new Error(`${status}`)
    return { status, data }
  }
  const pathOf = ({ destination = 'd' }: At): string => `sys/sync/destinations/${type}/${destination}`
  const secretOf = ({ secret = NAME }: At): object => ({ mount: 'kv', secret_name: secret })
  const installation: Installation = {
    kernel,
    settle,
    pass: (ms) => pass(ms),
    post,
    write: (value, at = {}) => done(post(`kv/data/${at.secret ?? NAME}`, { data: { value } }, at)),
    destination: (more = {}, at = {}) =>
      done(
        post(
          pathOf(at),
          { ...CONFIG[type], granularity: 'secret-path', secret_name_template: '{{ .SecretBaseName }}', ...more },
          at,
        ),
      ),
    async set(more = {}, at = {}) {
      const { status, data } = await post(`${pathOf(at)}/associations/set`, { ...secretOf(at), ...more }, at)
      const rows = Object.values((data['associated_secrets'] ?? {}) as Record<string, Row>)
      return status === 200 ? (rows[0] ?? {}) : { status }
    },
    remove: (at = {}) => done(post(`${pathOf(at)}/associations/remove`, secretOf(at), at)),
  }
  await installation.kernel.mounts.createMount({ path: 'kv', type: 'kv', options: { version: '2' } })
  return installation
}

const value = (text: string): string => JSON.stringify({ value: text })

async function withNamespace(installation: Installation, namespace: string): Promise<void> {
  await installation.kernel.namespaces.createNamespace({ name: namespace })
  await installation.post('sys/mounts/kv', { type: 'kv', options: { version: '2' } }, { namespace })
}

/** Each function creates the owner of the external name and returns the location of the competing association. */
const HOLDERS: Readonly<Record<string, (installation: Installation, type: SyncType, store: FakeSyncDestination) => Promise<At>>> =
  {
    async 'another application'(_, __, store) {
      store.intrude(NAME, value('theirs'))
      return {}
    },
    async 'another installation'(_, type, store) {
      const otherInstallation = await install(type, store)
      await otherInstallation.write('theirs')
      await otherInstallation.destination()
      expect(await otherInstallation.set()).toMatchObject({ sync_status: 'SYNCED' })
      await otherInstallation.kernel.close()
      return {}
    },
    async 'another namespace'(installation) {
      await withNamespace(installation, 'victim')
      const at = { namespace: 'victim' }
      await installation.write('theirs', at)
      await installation.destination({}, at)
      expect(await installation.set({}, at)).toMatchObject({ sync_status: 'SYNCED' })
      return {}
    },
    async 'another destination of the namespace'(installation) {
      await installation.write('theirs')
      await installation.destination({}, { destination: 'victim' })
      expect(await installation.set({}, { destination: 'victim' })).toMatchObject({ sync_status: 'SYNCED' })
      return { secret: `other/${NAME}` }
    },
  }

/** Every operation of an association that writes to the external store. */
const ACTS: Readonly<Record<string, (installation: Installation, at: At, type: SyncType) => Promise<unknown>>> = {
  'set again': (installation, at) => installation.set({}, at),
  'a new version': (installation, at) => installation.write('newer', at),
  'a deletion of the secret': (installation, { secret = NAME }) =>
    installation.kernel.kv2.at('kv/').deleteMetadata({ path: secret }),
  reconciling: (installation) => installation.kernel.sync.reconcile(),
  'a change of the destination': (installation, at) => installation.destination({}, at),
  'the end of the association': (installation, at) => installation.remove(at),
  'an association that is made again': async (installation, at) => {
    await installation.remove(at)
    await installation.set({}, at)
  },
  'a purge of the destination': (installation, _, type) =>
    installation.kernel.sync.deleteDestination({ type, name: 'd', purge: true }),
  'a forced deletion of the destination': (installation, _, type) =>
    installation.kernel.sync.deleteDestination({ type, name: 'd', force_delete: true }),
}

describe.each(TYPES)('an external name in %s', (type) => {
  it.each(Object.keys(HOLDERS))('that %s holds is neither overwritten nor removed by an association', async (holder) => {
    const store = fakeSyncDestination({ type })
    const installation = await install(type, store)
    const at = await HOLDERS[holder]!(installation, type, store)
    for (const act of Object.keys(ACTS)) {
      await installation.write('ours', at)
      await installation.destination({}, at)
      await installation.settle()
      expect([act, await installation.set({}, at)]).toMatchObject([
        act,
        { sync_status: 'CLIENT_SIDE_ERROR', reason: 'not_owned' },
      ])
      await ACTS[act]!(installation, at, type)
      await installation.pass(400_000)
      expect([act, [...store.history.entries()]]).toEqual([act, [[NAME, [value('theirs')]]]])
    }
    await installation.kernel.close()
  })

  it('that another application uses is not overwritten after a template change, which removes the former name', async () => {
    const store = fakeSyncDestination({ type })
    const installation = await install(type, store)
    await installation.write('ours')
    await installation.destination({ secret_name_template: 'FORMER' })
    expect(await installation.set()).toMatchObject({ sync_status: 'SYNCED' })
    store.intrude(NAME, value('theirs'))
    await installation.destination()
    await installation.set()
    await installation.settle()
    expect(Object.fromEntries(store.values)).toEqual({ [NAME]: value('theirs') })
    await installation.kernel.close()
  })

  it('that another application has overwritten is not changed by later pushes, reconciliations or removals', async () => {
    const store = fakeSyncDestination({ type })
    const installation = await install(type, store)
    await installation.write('ours')
    await installation.destination()
    expect(await installation.set()).toMatchObject({ sync_status: 'SYNCED' })
    store.lose(NAME)
    store.intrude(NAME, value('theirs'))
    const { drift } = await installation.kernel.sync.reconcile()
    expect(drift).toMatchObject([{ found: 'unmanaged' }])
    await installation.settle()
    await installation.write('newer')
    await installation.settle()
    await installation.remove()
    await installation.settle()
    expect(store.values.get(NAME)).toBe(value('theirs'))
    await installation.kernel.close()
  })

  it('that the association owns is written, repaired and removed, and can then be written again', async () => {
    const store = fakeSyncDestination({ type })
    const installation = await install(type, store)
    await installation.write('one')
    await installation.destination()
    for (const round of ['first', 'second']) {
      expect([round, await installation.set()]).toMatchObject([round, { sync_status: 'SYNCED' }])
      store.edit(NAME, value('edited'))
      await installation.kernel.sync.reconcile()
      await installation.settle()
      expect(store.values.get(NAME)).toBe(value('one'))
      await installation.remove()
      expect(store.values.has(NAME)).toBe(false)
    }
    await installation.kernel.close()
  })

  it('is written again if the answer to a push was lost, and removed with the association', async () => {
    for (const manner of ['drops-after', 'drops', 'hangs'] as const) {
      const store = fakeSyncDestination({ type })
      const installation = await install(type, store)
      await installation.write('ours')
      await installation.destination()
      store.trouble({ call: 'put', manner: manner === 'hangs' ? 'fails' : manner })
      await installation.set()
      await installation.pass(400_000)
      expect([manner, store.values.get(NAME)]).toEqual([manner, value('ours')])
      await installation.remove()
      expect([manner, store.values.size]).toEqual([manner, 0])
      await installation.kernel.close()
    }
  })

  it('that two installations push concurrently is written by only one of them', async () => {
    const store = fakeSyncDestination({ type })
    const both = [await install(type, store), await install(type, store)]
    for (const [at, firstInstallation] of both.entries()) {
      await firstInstallation.write(`of ${at}`)
      await firstInstallation.destination()
    }
    await Promise.all(both.map((installation) => installation.set()))
    const winner = store.values.get(NAME)
    for (const installation of both) {
      await installation.pass(400_000)
      await installation.kernel.sync.reconcile()
      await installation.settle()
    }
    expect(store.history.get(NAME)).toEqual([winner])
    for (const installation of both) await installation.remove()
    expect(store.values.size).toBe(0)
    await Promise.all(both.map(({ kernel }) => kernel.close()))
  })
})

describe('setting an association with the adopt option', () => {
  it.each(TYPES)('for %s replaces the existing secret, which the association then owns', async (type) => {
    const store = fakeSyncDestination({ type })
    const installation = await install(type, store)
    store.intrude(NAME, value('theirs'))
    await installation.write('ours')
    await installation.destination()
    store.trouble({ call: 'put', manner: 'drops' })
    await installation.set({ adopt: true })
    await installation.pass(400_000)
    expect(store.values.get(NAME)).toBe(value('ours'))
    await installation.write('newer')
    await installation.settle()
    expect(store.values.get(NAME)).toBe(value('newer'))
    await installation.remove()
    expect(store.values.size).toBe(0)
    await installation.kernel.close()
  })

  it('applies to a single request, and not to later ones', async () => {
    const store = fakeSyncDestination()
    const installation = await install('cloud-a-sm', store)
    await installation.write('ours')
    await installation.destination()
    store.intrude(NAME, value('theirs'))
    await installation.set({ adopt: true })
    store.lose(NAME)
    store.intrude(NAME, value('theirs again'))
    expect(await installation.set()).toMatchObject({ reason: 'not_owned' })
    store.trouble({ call: 'put', manner: 'refuses' })
    await installation.set({ adopt: true })
    // A later request without the option revokes it.
    expect(await installation.set()).toMatchObject({ reason: 'not_owned' })
    expect(store.values.get(NAME)).toBe(value('theirs again'))
    await installation.kernel.close()
  })

  it('requires update permission on the destination in addition to that on the association', async () => {
    const rule = (path: string, ...capabilities: string[]) =>
      `path "${path}" { capabilities = ${JSON.stringify(capabilities)} }\n`
    const at = 'sys/sync/destinations/cloud-a-sm'
    const base = rule('kv/data/*', 'read') + rule(`${at}/+/associations/set`, 'create', 'update')
    const policies: Readonly<Record<string, string>> = {
      associates: base,
      reads: base + rule(`${at}/d`, 'read', 'list', 'create', 'delete'),
      other: base + rule(`${at}/e`, 'update'),
      denied: base + rule(`${at}/*`, 'create', 'update') + rule(`${at}/d`, 'deny'),
      operates: base + rule(`${at}/d`, 'update'),
    }
    const store = fakeSyncDestination()
    const installation = await install('cloud-a-sm', store)
    store.intrude(NAME, value('theirs'))
    await installation.write('ours')
    await installation.destination()
    for (const [name, policy] of Object.entries(policies)) {
      await installation.kernel.policies.writePolicy({ name, policy })
      const { client_token: token } = await installation.kernel.tokens.createToken({ policies: [name] })
      const isAllowed = name === 'operates'
      for (const adopt of [true, 'true', 1])
        expect([name, await installation.set({ adopt }, { token })]).toMatchObject([
          name,
          isAllowed ? { sync_status: 'SYNCED' } : { status: 403 },
        ])
      expect([name, store.values.get(NAME)]).toEqual([name, value(isAllowed ? 'ours' : 'theirs')])
    }
    await installation.kernel.close()
  })
})

it('a destination refuses a custom tag that its store would not distinguish from the ownership tag', async () => {
  const installation = await install('cloud-c-sm', fakeSyncDestination({ type: 'cloud-c-sm' }))
  for (const tag of ['strongroom:sync', 'strongroom_sync', 'Strongroom:Sync', 'strongroom-sync'])
    expect([tag, await installation.destination({ custom_tags: { [tag]: 'x' } }).catch((error: Error) => error.message)]).toEqual(
      [tag, '400'],
    )
  await installation.kernel.close()
})
