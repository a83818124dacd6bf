/** After a mount or namespace was removed and ticks have purged it, the store contains no record of it. */
import { describe, expect, it } from 'vitest'
import { createKernel, type Kernel, keySeal, memoryStorage, type Storage } from '../../../../src/index.ts'
import { type FakeClock, fakeClock } from '../../../../src/testing/index.ts'
import { EVERY_OPERATION, type Filled, fill, furnish, furnishedPorts } from '../../../fixtures/good-requests.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

interface Store {
  readonly storage: Storage
  readonly clock: FakeClock
  open(): Promise<Kernel>
}

function store(): Store {
  const storage = memoryStorage({ maxOps: 128 })
  const [clock, ports] = [fakeClock(), furnishedPorts()]
  const seal = keySeal(new Uint8Array(32).fill(3))
  return { storage, clock, open: () => createKernel({ storage, seal, clock, ports, initialize: true }) }
}

const keysOf = async (storage: Storage): Promise<readonly string[]> => (await storage.scan('')).map(({ key }) => key)

let root = ''
function ask(kernel: Kernel, namespace: string, { verb, path, body }: Filled) {
  const headers = { 'X-Service-Token': root, 'X-Service-Namespace': namespace, 'Content-Type': 'application/merge-patch+json' }
  return kernel.handle({ method: verb, path: `/v1/${path}`, headers, body })
}

async function tickAll(kernel: Kernel): Promise<void> {
  for (;;) {
    const { done, failed } = await kernel.tick()
    expect(failed).toEqual([])
    if (done === 0) return
  }
}

/**
 * Operations that seal the kernel, change barrier keys or roles, remove what other operations need, or take long and store nothing else.
 */
const LEFT_OUT =
  /wrappingKey|importKey|system\.(seal|rotate|move|promote|demote|disable|enable|leave)|delete|destroy|revoke|remove|forget/i

/** Calls every operation in a namespace, so that work is due now, soon and much later. */
async function populate(kernel: Kernel, clock: FakeClock, namespace: string): Promise<void> {
  const send = (verb: string, path: string, body: object = {}) => ask(kernel, namespace, { verb, path, body: { ...body } })
  await furnish(send)
  for (const listed of EVERY_OPERATION)
    if (['POST', 'PATCH', 'GET'].includes(listed.operation.verb) && !LEFT_OUT.test(listed.title))
      await ask(kernel, namespace, fill(listed))
  const more: readonly (readonly [string, string, object?])[] = [
    ['POST', 'transit/keys/later', { auto_rotate_period: '720h' }],
    ['POST', 'transit/keys/soon', { auto_rotate_period: '1h' }],
    ['POST', 'sys/policies/acl/ends', { policy: 'path "a" { policy = "read" }', ttl: '720h' }],
    ['POST', 'sys/remount', { from: 'movable', to: 'moved' }],
    ['POST', 'auth/token/create', { policies: ['default'], ttl: '700h' }],
    ['GET', 'database/creds/r'],
    ['GET', 'cloud/creds/r'],
  ]
  for (const [verb, path, body] of more) expect((await send(verb, path, body)).status, path).toBeLessThan(300)
  await tickAll(kernel)
  clock.set(clock.now() + 2 * HOUR)
  await tickAll(kernel)
}

async function removeTree(kernel: Kernel, namespace: string): Promise<void> {
  const { body } = await ask(kernel, namespace, { verb: 'LIST', path: 'sys/namespaces', body: {} })
  const { data } = body as { data?: { keys: readonly string[] } }
  for (const key of data?.keys ?? []) await removeTree(kernel, `${namespace}/${key.slice(0, -1)}`)
  const at = namespace.lastIndexOf('/')
  const request = { verb: 'DELETE', path: `sys/namespaces/${namespace.slice(at + 1)}`, body: {} }
  expect((await ask(kernel, namespace.slice(0, Math.max(at, 0)), request)).status).toBe(200)
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** The ids of mounts and namespaces whose keys are in `after` but not in `before`. */
function madeSince(before: readonly string[], after: readonly string[]): readonly string[] {
  const known = new Set(before)
  const made = after.filter((key) => /^[rl]\/core\/(mount|namespace)\//.test(key) && !known.has(key))
  return made.flatMap((key) => key.match(UUID) ?? [])
}

/** Keys that a store has once, independent of its mounts: claims and guards of core, and keys that are created once. */
const SHARED = /^i\/claim\/[a-z]+\/core(\/renewal)?$|^i\/guard\/[rl]\/core\/[^/]+\/folder$|^r\/core\/wrapping-key\//

interface Removal {
  readonly kernel: Kernel
  readonly namespace: string
  readonly storage: Storage
  readonly clock: FakeClock
  /** Removes everything that `populate` created. */
  readonly remove: () => Promise<void>
  /** Ticks until nothing is due at the current time. */
  readonly tick: () => Promise<void>
}

/** Populates, removes, and compares the keys before and after. */
async function expectNothingLeft({ kernel, namespace, storage, clock, remove, tick }: Removal): Promise<void> {
  await tick()
  const before = await keysOf(storage)
  await populate(kernel, clock, namespace)
  const ids = madeSince(before, await keysOf(storage))
  expect(ids.length).toBeGreaterThan(5)
  await remove()
  await tick()
  const own = (key: string): boolean => ids.some((id) => key.includes(id))
  expect((await keysOf(storage)).filter(own)).toEqual([])
  clock.set(clock.now() + 60 * DAY)
  await tick()
  const known = new Set(before)
  expect((await keysOf(storage)).filter((key) => own(key) || (namespace !== '' && !known.has(key) && !SHARED.test(key)))).toEqual(
    [],
  )
}

/** Mounts that every namespace has. */
const BUILT_IN = ['sys/', 'identity/', 'cubbyhole/', 'token/']

describe('ticks after a removal', () => {
  it('delete every record of a namespace tree that contains every engine', async () => {
    const { storage, clock, open } = store()
    await using kernel = await open()
    root = kernel.rootToken as string
    const namespace = 'outer/ns'
    const remove = async () => {
      // The cubbyhole of the root token is outside of the namespace.
      await ask(kernel, namespace, { verb: 'DELETE', path: 'cubbyhole/a', body: {} })
      await removeTree(kernel, 'outer')
    }
    await tickAll(kernel)
    const before = await keysOf(storage)
    await kernel.namespaces.createNamespace({ name: 'outer' })
    await ask(kernel, 'outer', { verb: 'POST', path: 'sys/namespaces/ns', body: {} })
    const made = madeSince(before, await keysOf(storage))
    await expectNothingLeft({ kernel, namespace, storage, clock, remove, tick: () => tickAll(kernel) })
    expect((await keysOf(storage)).filter((key) => made.some((id) => key.includes(id)))).toEqual([])
  })

  it('delete every record of mounts of every engine, even if two kernels tick concurrently', async () => {
    const { storage, clock, open } = store()
    await using kernel = await open()
    root = kernel.rootToken as string
    await using otherKernel = await open()
    const remove = async () => {
      for (const name of (await kernel.namespaces.listNamespaces()).keys) await removeTree(kernel, name.slice(0, -1))
      for (const [kind, path] of [
        ['mounts', 'sys/mounts'],
        ['auth', 'sys/auth'],
      ] as const) {
        const { body } = await ask(kernel, '', { verb: 'GET', path, body: {} })
        const mounts = Object.keys((body as { data: object }).data).filter((at) => !BUILT_IN.includes(at))
        for (const at of mounts)
          expect((await ask(kernel, '', { verb: 'DELETE', path: `sys/${kind}/${at.slice(0, -1)}`, body: {} })).status, at).toBe(
            204,
          )
      }
    }
    const tick = async () => {
      for (let quiet = 0; quiet < 3; quiet++) {
        const results = await Promise.all([kernel.tick(), otherKernel.tick()])
        expect(results.flatMap(({ failed }) => failed)).toEqual([])
        if (results.some(({ done }) => done > 0)) quiet = 0
        // A kernel takes over a claim only after the claim has expired.
        clock.set(clock.now() + 31_000)
      }
    }
    await expectNothingLeft({ kernel, namespace: '', storage, clock, remove, tick })
  })
})
