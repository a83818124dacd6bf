/** A login creates one entity per account and mount, which later logins find again. */
import { describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../../src/index.ts'
import { editEntity, editingKernel } from '../../fixtures/entity-editor.ts'
import { movingClock } from '../../fixtures/moving-clock.ts'
import { LMDB, MEMORY } from '../../fixtures/stores.ts'
import { type Outcome, PATH, REFUSED, TYPED, VIEWS } from './views.ts'
import { BOUND, EVERYBODY, HOST, jwtOf, KEYS, openWorld, WEB } from './world.ts'

const entityOf = async (kernel: Kernel, { auth }: Outcome, namespace = '') => {
  const from = namespace === '' ? kernel : kernel.namespace(namespace)
  return from.identity.readEntity({ id: auth?.entity_id ?? '' })
}

const SECRET = { 'kubernetes.io/serviceaccount/secret.name': 'web-token' }

describe('the entity of a service account', () => {
  it.each([
    ['serviceaccount_uid', WEB.uid],
    ['serviceaccount_name', `${WEB.namespace}/${WEB.name}`],
  ])('has an alias named by %s: %s', async (alias_name_source, name) => {
    await using world = await openWorld({ role: { alias_name_source } })
    const first = await world.login(TYPED, jwtOf(WEB, SECRET))
    const entity = await entityOf(world.kernel, first)
    expect(entity).toMatchObject({ id: first.auth?.entity_id, policies: [], disabled: false, metadata: null })
    expect(entity.name).toMatch(/^entity_[0-9a-f]{8}\.root$/)
    const { accessor } = await world.kernel.mounts.readAuthMethod({ path: 'orchestrator' })
    const metadata = {
      service_account_uid: WEB.uid,
      service_account_name: WEB.name,
      service_account_namespace: WEB.namespace,
      service_account_secret_name: 'web-token',
    }
    expect(entity.aliases).toEqual([
      expect.objectContaining({ name, metadata, canonical_id: entity.id, mount_accessor: accessor }),
    ])
    expect(first.auth?.metadata).toEqual({ ...metadata, role: 'web' })
    for (const view of VIEWS) expect((await world.login(view, jwtOf(WEB, SECRET))).auth?.entity_id).toBe(entity.id)
    const { data } = await lookup(world.kernel, first)
    expect(data).toMatchObject({ entity_id: entity.id })
  })

  it('is the same for all roles of a mount with the same alias source', async () => {
    await using world = await openWorld()
    const { orchestrator } = world.kernel
    await orchestrator.writeRole({ name: 'other', ...BOUND, token_policies: ['p'] })
    await orchestrator.writeRole({ name: 'named', ...BOUND, alias_name_source: 'serviceaccount_name' })
    const ids = []
    for (const role of ['web', 'other', 'named', 'NAMED']) ids.push((await world.login(PATH, jwtOf(), { role })).auth?.entity_id)
    expect(ids[1]).toBe(ids[0])
    expect(ids[2]).not.toBe(ids[0])
    expect(ids[3]).toBe(ids[2])
  })

  it('is different for different accounts', async () => {
    await using world = await openWorld({ role: EVERYBODY })
    const ids = new Set()
    for (const account of [WEB, { ...WEB, uid: 'u2' }, { ...WEB, uid: 'U2' }, { ...WEB, uid: `${WEB.uid} ` }])
      ids.add((await world.login(PATH, jwtOf(account))).auth?.entity_id)
    expect(ids.size).toBe(4)
  })

  it('is different in each mount and namespace', async () => {
    await using world = await openWorld()
    const { kernel } = world
    await kernel.namespaces.createNamespace({ name: 'team' })
    await kernel.mounts.createAuthMethod({ path: 'second', type: 'kubernetes' })
    await kernel.namespace('team').mounts.createAuthMethod({ path: 'second', type: 'orchestrator' })
    const ids = [(await world.login(PATH, jwtOf())).auth?.entity_id]
    for (const how of [{ at: 'second' }, { at: 'second', namespace: 'team' }]) {
      await PATH.ask(kernel, 'configure', { orchestrator_host: HOST, pem_keys: KEYS }, how)
      await PATH.ask(kernel, 'writeRole', { name: 'web', ...BOUND }, how)
      const outcome = await world.login(PATH, jwtOf(), how)
      expect((await entityOf(kernel, outcome, how.namespace)).aliases).toHaveLength(1)
      ids.push(outcome.auth?.entity_id)
    }
    expect(new Set(ids).size).toBe(3)
  })

  it('has the metadata of the latest login', async () => {
    await using world = await openWorld({ role: EVERYBODY })
    const made = await entityOf(world.kernel, await world.login(TYPED, jwtOf()))
    await world.clock.advance(5_000)
    expect(await entityOf(world.kernel, await world.login(TYPED, jwtOf()))).toEqual(made)
    const moved = await entityOf(
      world.kernel,
      await world.login(PATH, jwtOf({ ...WEB, name: 'renamed', namespace: 'dev' }, SECRET)),
    )
    const [before, after] = [made.aliases[0], moved.aliases[0]]
    expect(moved.aliases).toHaveLength(1)
    expect(after).toMatchObject({
      id: before?.id,
      name: WEB.uid,
      creation_time: before?.creation_time,
      metadata: {
        service_account_uid: WEB.uid,
        service_account_name: 'renamed',
        service_account_namespace: 'dev',
        service_account_secret_name: 'web-token',
      },
    })
    expect(Date.parse(after?.last_update_time ?? '') - Date.parse(before?.last_update_time ?? '')).toBe(5_000)
  })
})

const lookup = async (kernel: Kernel, { auth }: Outcome) => {
  const headers = { 'X-Service-Token': auth?.client_token ?? '' }
  const { status, body } = await kernel.handle({ method: 'GET', path: '/v1/auth/token/lookup-self', headers })
  return { status, data: (body as { readonly data?: Readonly<Record<string, unknown>> }).data }
}

describe('a login whose entity an operator has edited', () => {
  it('is refused while the entity is disabled', async () => {
    await using world = await openWorld({ create: editingKernel })
    const first = await world.login(PATH, jwtOf())
    await editEntity(world.kernel, first.auth?.entity_id ?? '', { disabled: true })
    for (const view of VIEWS) expect(await world.login(view, jwtOf())).toMatchObject(REFUSED)
    expect(await world.refusals()).toEqual(VIEWS.map(() => ({ role: 'web', reason: 'entity-disabled' })))
    expect(world.audit.at(-1)?.reason).toBe('entity-disabled')
    expect((await lookup(world.kernel, first)).status).toBe(403)
    await editEntity(world.kernel, first.auth?.entity_id ?? '', { disabled: false })
    for (const view of VIEWS) expect((await world.login(view, jwtOf())).auth?.entity_id).toBe(first.auth?.entity_id)
    expect((await lookup(world.kernel, first)).status).toBe(200)
  })

  it('gets the policies of the entity as well as those of the role', async () => {
    await using world = await openWorld({ create: editingKernel, role: { token_policies: ['b'] } })
    const { auth } = await world.login(PATH, jwtOf())
    await editEntity(world.kernel, auth?.entity_id ?? '', { policies: ['a', 'b'] })
    for (const view of VIEWS)
      expect((await world.login(view, jwtOf())).auth).toMatchObject({
        policies: ['a', 'b', 'default'],
        token_policies: ['b', 'default'],
        identity_policies: ['a', 'b'],
      })
  })

  it('is refused if the entity has the root policy', async () => {
    await using world = await openWorld({ create: editingKernel })
    const { auth } = await world.login(PATH, jwtOf())
    for (const policies of [['root'], ['a', 'Root ']]) {
      await editEntity(world.kernel, auth?.entity_id ?? '', { policies })
      for (const view of VIEWS)
        expect(await world.login(view, jwtOf())).toMatchObject({
          status: 400,
          errors: ['auth methods cannot create root tokens'],
        })
    }
  })
})

describe.each([MEMORY, LMDB])('concurrent first logins on $name', ({ open }) => {
  it('create only one entity if they are logins of the same account', async () => {
    const { storage, drop } = await open()
    const kernel = await createDevKernel({ storage, clock: movingClock() })
    try {
      await kernel.orchestrator.configure({ orchestrator_host: HOST, pem_keys: KEYS })
      await kernel.orchestrator.writeRole({ name: 'web', ...BOUND })
      const logins = Array.from({ length: 16 }, (_, n) =>
        (VIEWS[n % 2] as (typeof VIEWS)[number]).ask(kernel, 'login', { role: 'web', jwt: jwtOf() }),
      )
      const outcomes = await Promise.all(logins)
      expect(outcomes.map(({ status }) => status)).toEqual(logins.map(() => 200))
      expect(new Set(outcomes.map(({ auth }) => auth?.entity_id)).size).toBe(1)
      expect(new Set(outcomes.map(({ auth }) => auth?.client_token)).size).toBe(16)
      expect(await storage.list('r/core/entity/')).toHaveLength(1)
      expect(await storage.list('r/core/alias/')).toHaveLength(1)
      for (const outcome of outcomes) expect((await lookup(kernel, outcome)).status).toBe(200)
    } finally {
      await kernel.close()
      await drop()
    }
  })
})
