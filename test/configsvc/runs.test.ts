/**
 * How many times each operation of the configuration service runs for one request when its records are in memory. An operation runs again
 * if it lists records, or if it waits for work that takes long.
 */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { FACADES, SERVICE_METHODS } from '../../src/configsvc/operations.ts'
import type { ConfigView } from '../../src/configsvc/service.ts'
import { TokenSalt } from '../../src/core/access/token/token-id.ts'
import { CachedView } from '../../src/core/transaction/cached-view.ts'
import { Transaction } from '../../src/core/transaction/transaction.ts'
import { answered, configWorld, ROOT } from '../fixtures/configsvc.ts'
import {
  EVERY_CONFIG_OPERATION,
  type KnownOperation,
  type OperationWorld,
  operationWorld,
} from '../fixtures/configsvc-operations.ts'
import { BEFORE, ENTRY_OF_EACH_KIND } from '../fixtures/entry-of-each-kind.ts'

afterEach(() => vi.restoreAllMocks())

/** Finds the caller on cached records before the body is validated, so that an unknown caller causes no validation. */
const CALLER = 1

/** The number of runs of each transaction. An operation that runs on cached records counts as one run. */
const RUNS: Readonly<Record<string, readonly number[]>> = {
  'acl.bootstrap': [1],
  'acl.authorize': [1],
  'acl.authorizeMany': [1],
  'acl.explain': [1],
  'policies.create': [1],
  'policies.read': [1],
  'policies.readByName': [1],
  'policies.update': [1],
  'policies.delete': [1],
  'policies.list': [2],
  'tokens.create': [1],
  'tokens.readSelf': [1],
  'tokens.read': [1],
  'tokens.update': [1],
  'tokens.clone': [1],
  'tokens.delete': [1],
  'tokens.list': [2],
  'roles.create': [1],
  'roles.read': [1],
  'roles.readByName': [1],
  'roles.update': [1],
  'roles.delete': [1],
  'roles.list': [2],
  'authMethods.create': [2],
  'authMethods.read': [1],
  'authMethods.update': [2],
  'authMethods.delete': [1],
  'authMethods.list': [2],
  'bindingRules.create': [2],
  'bindingRules.read': [1],
  'bindingRules.update': [2],
  'bindingRules.delete': [1],
  'bindingRules.list': [2],
  'bindingRules.evaluate': [2],
  'templatedPolicies.list': [1],
  'templatedPolicies.readByName': [1],
  'templatedPolicies.preview': [1],
  'entries.apply': [2, CALLER],
  'entries.get': [1],
  'entries.list': [2],
  'entries.delete': [2],
  // The read waits for the signature check, and lists the binding rules only afterwards. The write creates the token.
  'service.login': [2, 1],
  'service.logout': [1],
}

/** The number of runs of the transaction of a PUT of one entry. A kind whose entries are checked against other entries lists the entries that refer to it. */
const RUNS_BY_KIND: Readonly<Record<string, readonly number[]>> = {
  'api-gateway': [1],
  'exported-services': [1],
  'file-system-certificate': [2],
  'http-route': [1],
  'ingress-gateway': [1],
  'inline-certificate': [2],
  'jwt-provider': [1],
  mesh: [1],
  'proxy-defaults': [2],
  'service-defaults': [2],
  'service-intentions': [1],
  'service-resolver': [2],
  'service-router': [2],
  'service-splitter': [2],
  'tcp-route': [1],
  'terminating-gateway': [1],
}

interface Counts {
  readonly runs: readonly number[]
  /** The number of times that the SecretID of the caller was hashed. */
  readonly hashes: number
}

async function counting(secret: string, request: () => Promise<unknown>): Promise<Counts> {
  const began = [Transaction.prototype, CachedView.prototype].map((prototype) => vi.spyOn(prototype, 'begin'))
  const hashed = vi.spyOn(TokenSalt.prototype, 'id')
  await request()
  const runs = new Map<unknown, number>()
  for (const { mock } of began) for (const run of mock.contexts) runs.set(run, (runs.get(run) ?? 0) + 1)
  const hashes = hashed.mock.calls.filter(([text]) => text === secret).length
  vi.restoreAllMocks()
  return { runs: [...runs.values()], hashes }
}

describe('an operation whose records are in memory runs as often as the table says, and hashes the SecretID once', () => {
  it('has a row in the table', () => {
    const all = Object.entries({ ...FACADES, service: SERVICE_METHODS }).flatMap(([facade, operations]) =>
      Object.keys(operations).map((name) => `${facade}.${name}`),
    )
    expect(Object.keys(RUNS).sort()).toEqual(all.sort())
  })

  it.each(EVERY_CONFIG_OPERATION)('$title', async (known) => {
    await using world = await operationWorld()
    const { title } = known
    const secret = title === 'service.logout' ? await loginSecret(world) : ROOT
    const request = () => world.send(known, world.body(known), 'something', secret)
    await world.ask('GET', 'acl/token/self', undefined, secret)
    if (!isFinal(known)) await request()
    const { runs, hashes } = await counting(secret, async () =>
      expect(await request()).toMatchObject({ status: title === 'acl.bootstrap' ? 403 : 200 }),
    )
    expect(runs).toEqual(RUNS[title])
    expect(hashes).toBe(['acl.bootstrap', 'service.login'].includes(title) ? 0 : 1)
  })

  it.each(Object.entries(UNROUTED))('%s', async (title, request) => {
    await using world = await operationWorld()
    await request(world.service.as(ROOT))
    expect(await counting(ROOT, () => request(world.service.as(ROOT)))).toEqual({ runs: RUNS[title], hashes: 1 })
  })
})

/** Operations that only typed calls reach. */
const UNROUTED: Readonly<Record<string, (service: ConfigView) => Promise<unknown>>> = {
  'acl.authorize': ({ acl }) => acl.authorize({ permission: 'acl:read' }),
  'acl.explain': ({ acl }) => acl.explain({ permission: 'acl:read' }),
  'bindingRules.evaluate': ({ bindingRules }) => bindingRules.evaluate({ auth_method: 'method-1', identity: {} }),
}

/** Whether a second request finds nothing to do. */
const isFinal = ({ operation: { verb }, title }: KnownOperation): boolean => verb === 'DELETE' || title === 'service.logout'

async function loginSecret(world: OperationWorld): Promise<string> {
  const login = EVERY_CONFIG_OPERATION.find(({ title }) => title === 'service.login') as KnownOperation
  const { SecretID } = await answered<{ SecretID: string }>(world.send(login, world.body(login)))
  return SecretID
}

describe('a PUT of an entry whose records are in memory runs as often as the table says, and hashes the SecretID once', () => {
  it('has a row in the table', () => {
    expect(Object.keys(RUNS_BY_KIND)).toEqual(ENTRY_OF_EACH_KIND.map(({ kind }) => kind))
  })

  it.each(ENTRY_OF_EACH_KIND)('$kind', async ({ kind, entry }) => {
    await using world = await configWorld()
    const put = (note: string) => answered(world.ask('PUT', 'config', { ...entry, Meta: { note } }))
    await answered(world.ask('PUT', 'config', BEFORE))
    await put('a')
    expect(await counting(ROOT, () => put('b'))).toEqual({ runs: [...(RUNS_BY_KIND[kind] ?? []), CALLER], hashes: 1 })
  })
})

const LARGE: Readonly<Record<string, () => unknown>> = {
  'an entry of 500 KB': () => ({
    Kind: 'exported-services',
    Name: 'default',
    Services: Array.from({ length: 9000 }, (_, i) => ({ Name: `service-${i}`, Consumers: [{ Peer: 'east' }] })),
  }),
  'a list of 50 entries': () =>
    Array.from({ length: 50 }, (_, i) => ({ Kind: 'service-defaults', Name: `service-${i}`, Protocol: 'http' })),
}

it.each(Object.entries(LARGE))('a PUT of %s runs twice', async (_, make) => {
  await using world = await configWorld()
  await answered(world.ask('PUT', 'config', BEFORE))
  expect(await counting(ROOT, () => answered(world.ask('PUT', 'config', make())))).toEqual({ runs: [2, CALLER], hashes: 1 })
})
