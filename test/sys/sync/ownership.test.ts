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
  const one: Installation = {
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
  await one.kernel.mounts.createMount({ path: 'kv', type: 'kv', options: { version: '2' } })
  return one
}

const value = (text: string): string => JSON.stringify({ value: text })

async function withNamespace(one: Installation, namespace: string): Promise<void> {
  await one.kernel.namespaces.createNamespace({ name: namespace })
  await one.post('sys/mounts/kv', { type: 'kv', options: { version: '2' } }, { namespace })
}

/** Each function creates the owner of the external name and returns the location of the competing association. */
const HOLDERS: Readonly<Record<string, (one: Installation, type: SyncType, store: FakeSyncDestination) => Promise<At>>> = {
  async 'another application'(_, __, store) {
    store.intrude(NAME, value('theirs'))
    return {}
  },
  async 'another installation'(_, type, store) {
    const other = await install(type, store)
    await other.write('theirs')
    await other.destination()
    expect(await other.set()).toMatchObject({ sync_status: 'SYNCED' })
    await other.kernel.close()
    return {}
  },
  async 'another namespace'(one) {
    await withNamespace(one, 'victim')
    const at = { namespace: 'victim' }
    await one.write('theirs', at)
    await one.destination({}, at)
    expect(await one.set({}, at)).toMatchObject({ sync_status: 'SYNCED' })
    return {}
  },
  async 'another destination of the namespace'(one) {
    await one.write('theirs')
    await one.destination({}, { destination: 'victim' })
    expect(await one.set({}, { destination: 'victim' })).toMatchObject({ sync_status: 'SYNCED' })
    return { secret: `other/${NAME}` }
  },
}

/** Every operation of an association that writes to the external store. */
const ACTS: Readonly<Record<string, (one: Installation, at: At, type: SyncType) => Promise<unknown>>> = {
  'set again': (one, at) => one.set({}, at),
  'a new version': (one, at) => one.write('newer', at),
  'a deletion of the secret': (one, { secret = NAME }) => one.kernel.kv2.at('kv/').deleteMetadata({ path: secret }),
  reconciling: (one) => one.kernel.sync.reconcile(),
  'a change of the destination': (one, at) => one.destination({}, at),
  'the end of the association': (one, at) => one.remove(at),
  'an association that is made again': async (one, at) => {
    await one.remove(at)
    await one.set({}, at)
  },
  'a purge of the destination': (one, _, type) => one.kernel.sync.deleteDestination({ type, name: 'd', purge: true }),
  'a forced deletion of the destination': (one, _, type) =>
    one.kernel.sync.deleteDestination({ type, name: 'd', force_delete: true }),
}

describe.each(TYPES)('an external name in %s', (type) => {
  it.each(Object.keys(HOLDERS))('that %s holds is neither overwritten nor removed by an association', async (holder) => {
    const store = fakeSyncDestination({ type })
    const one = await install(type, store)
    const at = await HOLDERS[holder]!(one, type, store)
    for (const act of Object.keys(ACTS)) {
      await one.write('ours', at)
      await one.destination({}, at)
      await one.settle()
      expect([act, await one.set({}, at)]).toMatchObject([act, { sync_status: 'CLIENT_SIDE_ERROR', reason: 'not_owned' }])
      await ACTS[act]!(one, at, type)
      await one.pass(400_000)
      expect([act, [...store.history.entries()]]).toEqual([act, [[NAME, [value('theirs')]]]])
    }
    await one.kernel.close()
  })

  it('that another application uses is not overwritten after a template change, which removes the former name', async () => {
    const store = fakeSyncDestination({ type })
    const one = await install(type, store)
    await one.write('ours')
    await one.destination({ secret_name_template: 'FORMER' })
    expect(await one.set()).toMatchObject({ sync_status: 'SYNCED' })
    store.intrude(NAME, value('theirs'))
    await one.destination()
    await one.set()
    await one.settle()
    expect(Object.fromEntries(store.values)).toEqual({ [NAME]: value('theirs') })
    await one.kernel.close()
  })

  it('that another application has overwritten is not changed by later pushes, reconciliations or removals', async () => {
    const store = fakeSyncDestination({ type })
    const one = await install(type, store)
    await one.write('ours')
    await one.destination()
    expect(await one.set()).toMatchObject({ sync_status: 'SYNCED' })
    store.lose(NAME)
    store.intrude(NAME, value('theirs'))
    const { drift } = await one.kernel.sync.reconcile()
    expect(drift).toMatchObject([{ found: 'unmanaged' }])
    await one.settle()
    await one.write('newer')
    await one.settle()
    await one.remove()
    await one.settle()
    expect(store.values.get(NAME)).toBe(value('theirs'))
    await one.kernel.close()
  })

  it('that the association owns is written, repaired and removed, and can then be written again', async () => {
    const store = fakeSyncDestination({ type })
    const one = await install(type, store)
    await one.write('one')
    await one.destination()
    for (const round of ['first', 'second']) {
      expect([round, await one.set()]).toMatchObject([round, { sync_status: 'SYNCED' }])
      store.edit(NAME, value('edited'))
      await one.kernel.sync.reconcile()
      await one.settle()
      expect(store.values.get(NAME)).toBe(value('one'))
      await one.remove()
      expect(store.values.has(NAME)).toBe(false)
    }
    await one.kernel.close()
  })

  it('is written again if the answer to a push was lost, and removed with the association', async () => {
    for (const manner of ['drops-after', 'drops', 'hangs'] as const) {
      const store = fakeSyncDestination({ type })
      const one = await install(type, store)
      await one.write('ours')
      await one.destination()
      store.trouble({ call: 'put', manner: manner === 'hangs' ? 'fails' : manner })
      await one.set()
      await one.pass(400_000)
      expect([manner, store.values.get(NAME)]).toEqual([manner, value('ours')])
      await one.remove()
      expect([manner, store.values.size]).toEqual([manner, 0])
      await one.kernel.close()
    }
  })

  it('that two installations push concurrently is written by only one of them', async () => {
    const store = fakeSyncDestination({ type })
    const both = [await install(type, store), await install(type, store)]
    for (const [at, one] of both.entries()) {
      await one.write(`of ${at}`)
      await one.destination()
    }
    await Promise.all(both.map((one) => one.set()))
    const winner = store.values.get(NAME)
    for (const one of both) {
      await one.pass(400_000)
      await one.kernel.sync.reconcile()
      await one.settle()
    }
    expect(store.history.get(NAME)).toEqual([winner])
    for (const one of both) await one.remove()
    expect(store.values.size).toBe(0)
    await Promise.all(both.map(({ kernel }) => kernel.close()))
  })
})

describe('setting an association with the adopt option', () => {
  it.each(TYPES)('for %s replaces the existing secret, which the association then owns', async (type) => {
    const store = fakeSyncDestination({ type })
    const one = await install(type, store)
    store.intrude(NAME, value('theirs'))
    await one.write('ours')
    await one.destination()
    store.trouble({ call: 'put', manner: 'drops' })
    await one.set({ adopt: true })
    await one.pass(400_000)
    expect(store.values.get(NAME)).toBe(value('ours'))
    await one.write('newer')
    await one.settle()
    expect(store.values.get(NAME)).toBe(value('newer'))
    await one.remove()
    expect(store.values.size).toBe(0)
    await one.kernel.close()
  })

  it('applies to a single request, and not to later ones', async () => {
    const store = fakeSyncDestination()
    const one = await install('cloud-a-sm', store)
    await one.write('ours')
    await one.destination()
    store.intrude(NAME, value('theirs'))
    await one.set({ adopt: true })
    store.lose(NAME)
    store.intrude(NAME, value('theirs again'))
    expect(await one.set()).toMatchObject({ reason: 'not_owned' })
    store.trouble({ call: 'put', manner: 'refuses' })
    await one.set({ adopt: true })
    // A later request without the option revokes it.
    expect(await one.set()).toMatchObject({ reason: 'not_owned' })
    expect(store.values.get(NAME)).toBe(value('theirs again'))
    await one.kernel.close()
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
    const one = await install('cloud-a-sm', store)
    store.intrude(NAME, value('theirs'))
    await one.write('ours')
    await one.destination()
    for (const [name, policy] of Object.entries(policies)) {
      await one.kernel.policies.writePolicy({ name, policy })
      const { client_token: token } = await one.kernel.tokens.createToken({ policies: [name] })
      const isAllowed = name === 'operates'
      for (const adopt of [true, 'true', 1])
        expect([name, await one.set({ adopt }, { token })]).toMatchObject([
          name,
          isAllowed ? { sync_status: 'SYNCED' } : { status: 403 },
        ])
      expect([name, store.values.get(NAME)]).toEqual([name, value(isAllowed ? 'ours' : 'theirs')])
    }
    await one.kernel.close()
  })
})

it('a destination refuses a custom tag that its store would not distinguish from the ownership tag', async () => {
  const one = await install('cloud-c-sm', fakeSyncDestination({ type: 'cloud-c-sm' }))
  for (const tag of ['strongroom:sync', 'strongroom_sync', 'Strongroom:Sync', 'strongroom-sync'])
    expect([tag, await one.destination({ custom_tags: { [tag]: 'x' } }).catch((error: Error) => error.message)]).toEqual([
      tag,
      '400',
    ])
  await one.kernel.close()
})
