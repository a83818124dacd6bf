import { describe, expect, it } from 'vitest'
import { createKernel } from '../../../src/chosen-kernel.ts'
import type { LazyEngine } from '../../../src/core/contract/engine.ts'
import type { AnyOperation, Operations } from '../../../src/core/contract/operation.ts'
import { cloud, database, orchestrator, replication, transit } from '../../../src/engines.ts'
import { keySeal, type MemoryStorage, memoryStorage } from '../../../src/index.ts'
import * as parts from '../../../src/sys-parts.ts'
import { fakeClock } from '../../../src/testing/index.ts'

type PartName = keyof typeof parts

const PARTS: Readonly<Record<PartName, () => LazyEngine>> = { ...parts }
const NAMES = Object.keys(PARTS) as readonly PartName[]

const optionsFor = (storage: MemoryStorage = memoryStorage()) => ({
  engines: [transit()],
  storage,
  seal: keySeal(new Uint8Array(32).fill(7)),
  initialize: true,
})

/** All parts except one. Their type is that of no parts, so that the type of the kernel has only what every kernel has. */
const without = (left: PartName) =>
  NAMES.filter((name) => name !== left).map((name) => PARTS[name]()) as readonly LazyEngine[] as readonly []

/** A path of the operation, with values for its captures. */
const pathOf = ({ path }: AnyOperation): string => `/v1/sys${path.replaceAll(/[()]/g, '').replaceAll(/[:*+](\w+)/g, 'a')}`

/** A call of each part that works in a new store. */
const CALLS: Readonly<Record<PartName, (kernel: Awaited<ReturnType<typeof whole>>) => Promise<unknown>>> = {
  policies: async ({ policies }) => policies.writePolicy({ name: 'a', policy: 'path "transit/*" { capabilities = ["read"] }' }),
  leases: ({ leases }) => leases.countLeases({ type: 'irrevocable' }),
  namespaces: ({ namespaces }) => namespaces.createNamespace({ name: 'a' }),
  wrapping: ({ wrapping }) => wrapping.wrap({ data: { a: 1 }, ttl: 60 }),
  audit: ({ audit }) => audit.listDevices(),
  rekey: ({ rekey }) => rekey.readStatus(),
  generateRoot: ({ generateRoot }) => generateRoot.readStatus(),
  help: async (kernel) => {
    const headers = { 'X-Service-Token': kernel.rootToken as string }
    const { status } = await kernel.handle({ method: 'GET', path: '/v1/transit/keys/a', query: { help: '1' }, headers })
    expect(status).toBe(200)
  },
}

const whole = () => createKernel(optionsFor())

describe.each(NAMES)('a kernel without the part %s', (name) => {
  it('has no facade of the part, and the facades of all other parts', async () => {
    const kernel = await createKernel({ ...optionsFor(), sys: without(name) })
    for (const other of NAMES) {
      const { facades = {} } = await PARTS[other]().load()
      for (const facade of Object.keys(facades)) {
        expect([facade, facade in kernel]).toEqual([facade, other !== name])
        expect([facade, facade in kernel.as('token')]).toEqual([facade, other !== name])
      }
    }
    await kernel.close()
  })

  it('answers the paths of the part like an unknown path', async () => {
    const kernel = await createKernel({ ...optionsFor(), sys: without(name) })
    const headers = {
      'X-Service-Token': kernel.rootToken as string,
      'Content-Type': 'application/merge-patch+json',
    }
    const unknown = await kernel.handle({ method: 'GET', path: '/v1/sys/no-such-path', headers })
    expect(unknown.status).toBe(404)
    const { operations } = await PARTS[name]().load()
    for (const operation of Object.values(operations as Operations)) {
      const { status } = await kernel.handle({ method: operation.verb, path: pathOf(operation), headers })
      expect([pathOf(operation), status]).toEqual([pathOf(operation), 404])
    }
    await kernel.close()
  })

  it('serves everything else', async () => {
    const kernel = await createKernel({ ...optionsFor(), sys: without(name) })
    await kernel.transit.createKey({ name: 'orders' })
    await kernel.transit.encrypt({ name: 'orders', plaintext: new Uint8Array(3) })
    for (const other of NAMES) if (other !== name) await CALLS[other](kernel as never)
    await kernel.tick()
    await kernel.close()
  })
})

describe('a kernel without any part of sys/', () => {
  it('creates keys, encrypts, rotates and ticks, and its store can be opened with all parts later', async () => {
    const storage = memoryStorage()
    const small = await createKernel({ ...optionsFor(storage), sys: [] })
    await small.transit.createKey({ name: 'orders' })
    const { ciphertext } = await small.transit.encrypt({ name: 'orders', plaintext: new Uint8Array([1, 2, 3]) })
    await small.transit.rotateKey({ name: 'orders' })
    await small.seal.rotate()
    await small.mounts.createMount({ path: 'more', type: 'transit' })
    await small.mounts.deleteMount({ path: 'more' })
    const { client_token } = await small.tokens.createToken({ policies: ['root'], ttl: '1h' })
    expect((await small.tick()).failed).toEqual([])
    await small.close()

    const kernel = await createKernel(optionsFor(storage))
    const { plaintext } = await kernel.transit.decrypt({ name: 'orders', ciphertext })
    expect(plaintext).toEqual(new Uint8Array([1, 2, 3]))
    expect((await kernel.as(client_token).tokens.lookupSelf()).policies).toEqual(['root'])
    for (const name of NAMES) if (name !== 'help') await CALLS[name](kernel)
    expect((await kernel.tick()).failed).toEqual([])
    await kernel.close()
  })
})

describe('a kernel without the part audit', () => {
  const noAudit = () => without('audit')
  const NEEDED = 'the store has audit devices, which need the part audit() in the option sys of createKernel'
  const ports = { audit: { factories: { list: () => ({ write: () => {} }) } } }

  it('refuses the option ports.audit', async () => {
    const message = 'createKernel: ports.audit: needs the part audit() in the option sys'
    await expect(createKernel({ ...optionsFor(), sys: noAudit(), ports })).rejects.toThrow(new TypeError(message))
  })

  it('does not open a store that has an audit device', async () => {
    const storage = memoryStorage()
    const kernel = await createKernel({ ...optionsFor(storage), ports })
    await kernel.audit.enableDevice({ path: 'list', type: 'list' })
    await kernel.close()
    await expect(createKernel({ ...optionsFor(storage), sys: noAudit() })).rejects.toThrow(new TypeError(NEEDED))
  })

  it('refuses every request once another kernel has enabled an audit device', async () => {
    const storage = memoryStorage()
    const small = await createKernel({ ...optionsFor(storage), sys: noAudit() })
    const kernel = await createKernel({ ...optionsFor(storage), ports })
    await small.transit.createKey({ name: 'orders' })
    await kernel.audit.enableDevice({ path: 'list', type: 'list' })
    for (let times = 0; times < 2; times++) {
      await expect(small.transit.readKey({ name: 'orders' })).rejects.toMatchObject({ code: 'ERR_AUDIT' })
      const headers = { 'X-Service-Token': kernel.rootToken ?? (small.rootToken as string) }
      expect((await small.handle({ method: 'GET', path: '/v1/transit/keys/orders', headers })).status).toBe(500)
    }
    await kernel.audit.disableDevice({ path: 'list' })
    expect((await small.transit.readKey({ name: 'orders' })).name).toBe('orders')
    await kernel.close()
    await small.close()
  })
})

describe('a kernel without the part wrapping', () => {
  it('refuses a request for a wrapped answer before it runs', async () => {
    const kernel = await createKernel({ ...optionsFor(), sys: without('wrapping') })
    const headers = { 'X-Service-Token': kernel.rootToken as string, 'X-Service-Wrap-TTL': '60' }
    const refused = await kernel.handle({ method: 'POST', path: '/v1/transit/keys/orders', headers })
    expect(refused).toMatchObject({ status: 400, body: { errors: ['this kernel does not wrap responses'] } })
    await expect(kernel.transit.readKey({ name: 'orders' })).rejects.toMatchObject({ status: 404 })
    await kernel.close()
  })

  it('does not accept a signed wrapping token', async () => {
    const storage = memoryStorage()
    const kernel = await createKernel(optionsFor(storage))
    const headers = { 'X-Service-Token': kernel.rootToken as string, 'X-Service-Wrap-TTL': '60', 'X-Service-Wrap-Format': 'jwt' }
    const { body } = await kernel.handle({ method: 'GET', path: '/v1/sys/mounts', headers })
    const { token } = (body as { readonly wrap_info: { readonly token: string } }).wrap_info
    await kernel.close()
    const small = await createKernel({ ...optionsFor(storage), sys: without('wrapping') })
    const request = { method: 'GET', path: '/v1/cubbyhole/response', headers: { 'X-Service-Token': token } }
    expect((await small.handle(request)).status).toBe(403)
    await small.close()
  })
})

describe('a kernel without the part policies', () => {
  it('denies every request of a token without the policy root, and says why', async () => {
    const kernel = await createKernel({ ...optionsFor(), sys: without('policies') })
    await kernel.transit.createKey({ name: 'orders' })
    const { client_token } = await kernel.tokens.createToken({ policies: ['default', 'orders'] })
    const why = 'permission denied: this kernel has no policies, so it accepts only root tokens'
    await expect(kernel.as(client_token).transit.readKey({ name: 'orders' })).rejects.toThrow(why)
    await expect(kernel.as(client_token).tokens.lookupSelf()).rejects.toThrow(why)
    for (const query of [{}, { help: '1' }]) {
      const headers = { 'X-Service-Token': client_token }
      const denied = await kernel.handle({ method: 'GET', path: '/v1/transit/keys/orders', query, headers })
      expect(denied).toMatchObject({ status: 403, body: { errors: [why] } })
    }
    await kernel.close()
  })

  it('accepts root tokens, and looks up and revokes other tokens for the application', async () => {
    const kernel = await createKernel({ ...optionsFor(), sys: without('policies') })
    const view = kernel.as(kernel.rootToken as string)
    await view.transit.createKey({ name: 'orders' })
    const { client_token, accessor } = await kernel.tokens.createToken({ policies: ['orders'] })
    expect((await kernel.tokens.lookupToken({ token: client_token })).policies).toEqual(['default', 'orders'])
    await view.tokens.revokeAccessor({ accessor })
    await expect(kernel.tokens.lookupToken({ token: client_token })).rejects.toMatchObject({ status: 404 })
    await kernel.close()
  })
})

describe('a kernel without the part leases', () => {
  it.each([
    ['database', database()],
    ['cloud', cloud()],
    ['replication', replication()],
  ])('is refused with the engine %s', async (name, engine) => {
    const message = `createKernel: sys: the engine ${name} needs the part leases()`
    const chosen = { ...optionsFor(), engines: [engine], sys: without('leases') }
    await expect(createKernel(chosen)).rejects.toThrow(new TypeError(message))
  })

  it('still ends expired tokens', async () => {
    const clock = fakeClock()
    const kernel = await createKernel({ ...optionsFor(), sys: without('leases'), clock })
    const { client_token } = await kernel.tokens.createToken({ policies: ['root'], ttl: '1h' })
    await clock.advance(3_600_000)
    await expect(kernel.as(client_token).tokens.lookupSelf()).rejects.toMatchObject({ status: 403 })
    expect((await kernel.tick()).failed).toEqual([])
    await kernel.close()
  })

  it('keeps the background work of leases for a kernel that has them', async () => {
    const storage = memoryStorage()
    const clock = fakeClock()
    const small = await createKernel({ ...optionsFor(storage), engines: [orchestrator()], sys: without('leases'), clock })
    await small.mounts.createAuthMethod({ path: 'more', type: 'orchestrator' })
    await small.mounts.deleteAuthMethod({ path: 'more' })
    expect((await small.tick()).failed).toEqual([])
    await small.close()
    await clock.advance(3_600_000)
    const kernel = await createKernel({ ...optionsFor(storage), clock })
    expect((await kernel.tick()).failed).toEqual([])
    await kernel.close()
  })
})

describe('a kernel without the part namespaces', () => {
  it('answers in no other namespace than the root namespace, and keeps what they contain', async () => {
    const storage = memoryStorage()
    const kernel = await createKernel(optionsFor(storage))
    await kernel.namespaces.createNamespace({ name: 'team' })
    const team = kernel.namespace('team/')
    await team.mounts.createMount({ path: 'transit', type: 'transit' })
    await team.transit.createKey({ name: 'orders' })
    const { client_token } = await team.tokens.createToken({ policies: ['default'] })
    const headers = { 'X-Service-Token': (await kernel.tokens.createToken({ policies: ['root'] })).client_token }

    const small = await createKernel({ ...optionsFor(storage), sys: without('namespaces') })
    const statusOf = async (path: string, more: object = {}) =>
      (await small.handle({ method: 'GET', path, headers: { ...headers, ...more } })).status
    expect(await statusOf('/v1/team/transit/keys/orders')).toBe(404)
    expect(await statusOf('/v1/transit/keys/orders', { 'X-Service-Namespace': 'team' })).toBe(404)
    expect(await statusOf('/v1/team/sys/health')).toBe(404)
    expect(await statusOf('/v1/sys/internal/ui/mounts/team/transit')).toBe(404)
    expect(await statusOf('/v1/auth/token/lookup-self', { 'X-Service-Token': client_token })).toBe(403)
    await expect(small.namespace('team/').transit.readKey({ name: 'orders' })).rejects.toMatchObject({ status: 404 })
    await expect(small.as(client_token).tokens.lookupSelf()).rejects.toMatchObject({ status: 403 })
    await expect(small.tokens.lookupToken({ token: client_token })).rejects.toMatchObject({ status: 404 })
    await expect(small.mounts.createMount({ path: 'team', type: 'transit' })).rejects.toMatchObject({ status: 400 })
    expect((await small.tick()).failed).toEqual([])
    await small.close()

    expect((await team.transit.readKey({ name: 'orders' })).name).toBe('orders')
    await kernel.close()
  })
})

describe('a kernel without the part help', () => {
  it('does not run the operation whose help is requested', async () => {
    const kernel = await createKernel({ ...optionsFor(), sys: without('help') })
    const headers = { 'X-Service-Token': kernel.rootToken as string }
    const request = { method: 'POST', path: '/v1/transit/keys/orders', query: { help: '1' }, headers }
    expect((await kernel.handle(request)).status).toBe(404)
    await expect(kernel.transit.readKey({ name: 'orders' })).rejects.toMatchObject({ status: 404 })
    await kernel.close()
  })
})

describe('a kernel without the parts namespaces and policies', () => {
  it('leaves the removal of a namespace and of an expired policy to a kernel that has these parts', async () => {
    const storage = memoryStorage()
    const clock = fakeClock()
    const kernel = await createKernel({ ...optionsFor(storage), clock })
    await kernel.namespaces.createNamespace({ name: 'team' })
    await kernel.namespace('team/').policies.writePolicy({ name: 'a', policy: 'path "a" {}' })
    await kernel.policies.writePolicy({ name: 'short', policy: 'path "a" {}', ttl: '1m' })
    await kernel.namespaces.deleteNamespace({ name: 'team' })
    await kernel.close()
    const policies = async () => (await storage.list('r/core/policy/')).length

    await clock.advance(120_000)
    const small = await createKernel({ ...optionsFor(storage), sys: [], clock })
    const before = await policies()
    expect((await small.tick()).failed).toEqual([])
    expect(await policies()).toBe(before)
    await small.close()

    await clock.advance(3_600_000)
    const whole = await createKernel({ ...optionsFor(storage), clock })
    for (let times = 0; times < 3; times++) expect((await whole.tick()).failed).toEqual([])
    expect(await policies()).toBe(before - 2)
    await whole.close()
  })
})

describe('the option sys', () => {
  const refused: readonly (readonly [string, unknown, string])[] = [
    ['an engine', [transit()], 'sys[0]: must be a part of sys/, such as policies()'],
    ['a function that was not called', [parts.policies], 'sys[0]: must be a part, such as policies()'],
    ['no list', 'policies', 'sys: must be a list of parts'],
  ]
  it.each(refused)('refuses %s', async (_, sys, message) => {
    await expect(createKernel({ ...optionsFor(), sys: sys as never })).rejects.toThrow(new TypeError(`createKernel: ${message}`))
  })
})
