/** Engines, and parts of `sys/`, whose code is loaded at the first use behave as if it had been loaded before. */
import { describe, expect, it } from 'vitest'
import { composeKernel } from '../../../src/compose-kernel.ts'
import { DEFERRED_ENGINES, ENGINES, FRESH_MOUNTS, SYSTEM } from '../../../src/conventional.ts'
import type { DeferredEngineValue } from '../../../src/core/contract/engine.ts'
import {
  createDevKernel,
  inProcessNetwork,
  type Kernel,
  type KernelOptions,
  type KernelRequest,
  keySeal,
  memoryStorage,
} from '../../../src/index.ts'
import { fakeClock, fakeDatabasePlugin } from '../../../src/testing/index.ts'
import * as loaded from '../../fixtures/all-engines.ts'
import { EVERY_OPERATION, requestOf } from '../../fixtures/every-operation.ts'
import { LMDB_SHARED } from '../../fixtures/stores.ts'

const ROOT = { username: 'root', password: 'root-password', connection_url: 'there' }

const seal = () => keySeal(new Uint8Array(32).fill(7))

const options = (given: Partial<KernelOptions> = {}): KernelOptions => ({
  storage: memoryStorage(),
  seal: seal(),
  initialize: true,
  ...given,
})

/** A kernel that has loaded all code. */
const wholeKernel = async (): Promise<Kernel> =>
  (await composeKernel(options(), loaded.ENGINES, loaded.SYSTEM, loaded.FRESH_MOUNTS)).kernel

const firsts = new Set(ENGINES.flatMap(({ operations }) => Object.values(operations)))

/** The operations whose code is not loaded when a kernel is created. */
const LATE = EVERY_OPERATION.filter(({ operation, title }) => !firsts.has(operation) && !title.startsWith('kv-v2 '))

const tokenHeader = (token: string | undefined) => ({ 'X-Service-Token': token ?? '' })

const STATES: Readonly<Record<string, (kernel: Kernel) => Promise<KernelRequest['headers']>>> = {
  'with the root token': async ({ rootToken }) => tokenHeader(rootToken),
  'without a token': async () => ({}),
  'while the kernel is sealed': async ({ seal: control, rootToken }) => {
    await control.seal()
    return tokenHeader(rootToken)
  },
}

/** Changes a request, to check that the kernels agree about every form of a path. */
const FORMS: Readonly<Record<string, (request: KernelRequest) => KernelRequest>> = {
  '': (request) => request,
  ', with another verb': (request) => ({ ...request, method: 'DELETE' }),
  ', in a path with an encoded character': ({ path, ...request }) => ({
    ...request,
    path: path.replace(/(\/v1\/(?:auth\/)?\w+\/)(\w)/, (_, before: string, first: string) => `${before}%${hex(first)}`),
  }),
  ', asked for help': (request) => ({ ...request, method: 'GET', query: { help: '1' } }),
}

const hex = (character: string): string => character.charCodeAt(0).toString(16)

/** The parts of an answer that are the same in all kernels. */
async function answerOf(kernel: Kernel, request: KernelRequest): Promise<unknown> {
  const { status, body } = await kernel.handle(request)
  const { errors, data, warnings } = (body ?? {}) as { errors?: unknown; data?: unknown; warnings?: unknown }
  return {
    status,
    errors,
    warnings,
    names: Object.keys((body as object | undefined) ?? {}),
    data: Object.keys((data as object) ?? {}),
  }
}

describe.each(Object.keys(STATES))('a first request by path %s', (state) => {
  it.each(LATE.map((known) => [known.title, known] as const))(
    'is answered as by a kernel that has loaded all code: %s',
    async (_, known) => {
      for (const [form, changed] of Object.entries(FORMS)) {
        await using kernel = await createDevKernel()
        await using whole = await wholeKernel()
        const prepare = STATES[state] as (typeof STATES)[string]
        const answer = await answerOf(kernel, changed(requestOf(known, {}, await prepare(kernel))))
        expect([form, answer]).toEqual([form, await answerOf(whole, changed(requestOf(known, {}, await prepare(whole))))])
      }
    },
  )
})

describe('before the code of a path is loaded', () => {
  const ALIASES = LATE.flatMap((known) => (known.operation.aliasPaths ?? []).map((alias) => [known.title, known, alias] as const))

  it.each(ALIASES)('the capabilities at an alternative path are those at the path: %s', async (_, known, alias) => {
    const capabilities = async (kernel: Kernel): Promise<unknown> => {
      const at = (operation: (typeof known)['operation']): string =>
        requestOf({ ...known, operation }, {}).path.slice('/v1/'.length)
      const rules = { path: { [at(known.operation)]: { capabilities: ['read', 'update', 'delete', 'list', 'sudo'] } } }
      await kernel.policies.writePolicy({ name: 'p', policy: JSON.stringify(rules) })
      const { client_token: token } = await kernel.tokens.createToken({ policies: ['p'] })
      const path = at({ ...known.operation, path: alias })
      return (await kernel.policies.capabilities({ token, paths: [path] })).capabilities
    }
    await using kernel = await createDevKernel()
    await using whole = await wholeKernel()
    expect(await capabilities(kernel)).toEqual(await capabilities(whole))
  })
})

describe('a first typed call', () => {
  it('uses its arguments as they were at the time of the call', async () => {
    await using kernel = await createDevKernel({ ports: { databases: { fake: fakeDatabasePlugin() } } })
    const args = { name: 'main', plugin_name: 'fake', allowed_roles: ['*'], verify_connection: false, ...ROOT }
    const written = kernel.database.writeConnection(args)
    args.allowed_roles[0] = 'late'
    args.name = 'late'
    await written
    expect((await kernel.database.readConnection({ name: 'main' })).allowed_roles).toEqual(['*'])
  })

  it('is rejected with the same error as every later call', async () => {
    await using kernel = await createDevKernel()
    const call = () => kernel.cloud.readRole({ name: 5 } as never)
    const first = await call().catch((error: Error) => error)
    expect(first).toBeInstanceOf(TypeError)
    expect(await call().catch((error: Error) => error)).toEqual(first)
  })

  it('can run at the same time as a request by path and a call of a view with a token', async () => {
    await using kernel = await createDevKernel()
    const request = { method: 'LIST', path: '/v1/database/roles', headers: tokenHeader(kernel.rootToken) }
    const lists = [kernel, kernel.as(kernel.rootToken ?? '')].map(({ database }) => database.listRoles())
    expect(await Promise.all([...lists, kernel.handle(request).then(({ status }) => status)])).toEqual([
      { keys: [] },
      { keys: [] },
      404,
    ])
  })

  it('of a generator yields the results', async () => {
    await using kernel = await createDevKernel()
    const pages: unknown[] = []
    for await (const page of kernel.sync.reconcilePages()) pages.push(page)
    expect(pages).toEqual([{ checked: 0, drift: [] }])
  })
})

const at = (name: string): DeferredEngineValue => {
  const found = DEFERRED_ENGINES.find(({ manifest }) => (manifest.part ?? manifest.type) === name)
  if (!found) throw new TypeError(`no engine ${name}`)
  return found
}

describe('if the code of an engine cannot be loaded', () => {
  it.each(['typed', 'by path'] as const)('a call fails with ERR_UNAVAILABLE, and a later call tries again: %s', async (view) => {
    const database = at('database')
    let tries = 0
    const flaky: DeferredEngineValue = {
      ...database,
      load: async () => {
        if (++tries === 1) throw new Error('the file is missing')
        return database.load()
      },
    }
    const { kernel } = await composeKernel(options(), ENGINES, SYSTEM, FRESH_MOUNTS, [
      flaky,
      ...DEFERRED_ENGINES.filter((value) => value !== database),
    ])
    const request = { method: 'LIST', path: '/v1/database/roles', headers: tokenHeader(kernel.rootToken) }
    const call = async (): Promise<unknown> =>
      view === 'typed'
        ? kernel.database.listRoles().then(
            () => 404,
            ({ status }: { status: number }) => status,
          )
        : kernel.handle(request).then(({ status }) => status)
    expect([await call(), await call(), tries]).toEqual([503, 404, 2])
    await kernel.close()
  })
})

describe('background work of an engine whose code is not loaded', () => {
  async function withDatabase(storage = memoryStorage(), clock = fakeClock()) {
    const plugin = fakeDatabasePlugin()
    plugin.addUser('alice', 'before')
    const given = options({ storage, clock, ports: { databases: { fake: plugin } } })
    const open = () => composeKernel(given, ENGINES, SYSTEM, FRESH_MOUNTS, DEFERRED_ENGINES)
    const { kernel } = await open()
    await kernel.database.writeConnection({ name: 'main', plugin_name: 'fake', allowed_roles: ['*'], ...ROOT })
    return { kernel, open, plugin, clock }
  }

  it('is done by a tick: the rotation of a static role', async () => {
    const { kernel, open, plugin, clock } = await withDatabase()
    await kernel.database.writeStaticRole({ name: 'alice', db_name: 'main', username: 'alice', rotation_period: 60 })
    const { password } = await kernel.database.staticCreds({ name: 'alice' })
    await kernel.close()
    const { kernel: next } = await open()
    await clock.advance(61_000)
    expect((await next.tick()).failed).toEqual([])
    const rotated = await next.database.staticCreds({ name: 'alice' })
    expect(rotated.password).not.toBe(password)
    expect(plugin.users.get('alice')?.credential).toEqual({ type: 'password', password: rotated.password })
    await next.close()
  })

  it('is done by a tick: the revocation of an expired lease', async () => {
    const { kernel, open, plugin, clock } = await withDatabase()
    await kernel.database.writeRole({ name: 'app', db_name: 'main', creation_statements: ['create'], default_ttl: 60 })
    const { username } = await kernel.database.creds({ name: 'app' })
    await kernel.close()
    const { kernel: next } = await open()
    await clock.advance(61_000)
    expect((await next.tick()).failed).toEqual([])
    expect([...plugin.users.keys()]).not.toContain(username)
    await next.close()
  })
})

describe('replication is loaded', () => {
  it('in a process that shares the store when another process gives the cluster a role', async () => {
    const { storage, drop } = await LMDB_SHARED.open()
    const open = async (ports: NonNullable<KernelOptions['ports']>) =>
      (await composeKernel(options({ storage, ports }), ENGINES, SYSTEM, FRESH_MOUNTS, DEFERRED_ENGINES)).kernel
    const first = await open({ replication: inProcessNetwork() })
    const second = await open({})
    const health = async () => (await second.handle({ method: 'GET', path: '/v1/sys/health' })).body
    expect(await health()).toMatchObject({ replication_performance_mode: 'disabled' })
    await first.replication.enablePrimary()
    await second.visibleEverywhere()
    expect(await second.kv.writeSecret({ path: 'a', data: { a: 1 } })).toBeDefined()
    expect(await health()).toMatchObject({ replication_performance_mode: 'primary', last_wal: expect.any(Number) })
    await first.close()
    await second.close()
    await drop()
  })

  it('and follows its primary in a kernel that was started before', async () => {
    const replication = inProcessNetwork()
    const open = async (ports: NonNullable<KernelOptions['ports']>) =>
      (
        await composeKernel(
          options({ storage: memoryStorage({ maxOps: 128 }), ports }),
          ENGINES,
          SYSTEM,
          FRESH_MOUNTS,
          DEFERRED_ENGINES,
        )
      ).kernel
    const primary = await open({ replication })
    const secondary = await open({ replication })
    const stop = secondary.start({ intervalMs: 3_600_000, unref: true })
    await primary.replication.enablePrimary()
    const { wrap_info } = await primary.replication.createSecondaryToken({ id: 'one' })
    await secondary.replication.enableSecondary({ token: wrap_info?.token ?? '' })
    await primary.kv.writeSecret({ path: 'a', data: { a: 1 } })
    await expect
      .poll(
        () =>
          secondary.kv.readSecret({ path: 'a' }).then(
            ({ data }) => data,
            () => undefined,
          ),
        { timeout: 60_000 },
      )
      .toEqual({ a: 1 })
    stop()
    await Promise.all([primary.close(), secondary.close()])
  })
})
