/** If a runtime is deleted while a plugin registers with it, the call that commits second is refused, in one kernel and in two. */
import { describe, expect, it } from 'vitest'
import { type Kernel, memoryStorage, type Storage } from '../../../../src/index.ts'
import { runs } from '../../../fixtures/runs.ts'
import { openOn, turns } from '../mounts/support.ts'
import { deleteRuntime, writeImage, writeRuntime } from './support.ts'

const ROUNDS = runs({ quick: 8, soak: 100 })

interface Held {
  readonly storage: Storage
  /** Delays the next commit. Resolves when the commit has arrived, with the function that releases it. */
  hold(): Promise<() => void>
}

/** A storage that delays one commit until it is released, while other commits pass. */
function holding(inner: Storage): Held {
  let next: ((release: () => void) => void) | undefined
  return {
    storage: {
      ...inner,
      async commit(ops, id) {
        const notify = next
        next = undefined
        if (notify) await new Promise<void>((resolve) => notify(resolve))
        return inner.commit(ops, id)
      },
    },
    hold: () =>
      new Promise((resolve) => {
        next = resolve
      }),
  }
}

type Act = (kernel: Kernel) => Promise<unknown>

const remove: Act = (kernel) => deleteRuntime(kernel, 'r')
const register: Act = (kernel) => writeImage(kernel, 'p', 'r')
/** The plugin is already registered with another runtime. */
const reregister: Act = (kernel) => writeImage(kernel, 'before', 'r')

const NO_RUNTIME = { status: 400, message: 'runtime: no plugin runtime of this name is registered' }
const named = (plugin: string) => ({
  status: 400,
  message: `name: unable to delete "r" runtime. Registered plugins=[database/${plugin}] are referencing it.`,
})

const ORDERS: readonly (readonly [string, Act, Act, object])[] = [
  ['a registration that commits after a deletion', register, remove, NO_RUNTIME],
  ['a changed registration that commits after a deletion', reregister, remove, NO_RUNTIME],
  ['a deletion that commits after a registration', remove, register, named('p')],
  ['a deletion that commits after a changed registration', remove, reregister, named('before')],
]

describe.each([1, 2])('with concurrent changes of a plugin runtime (kernels on the store: %s)', (kernels) => {
  async function open(): Promise<readonly [Kernel, Kernel, Held]> {
    const inner = memoryStorage({ maxOps: 128 })
    const held = holding(inner)
    const firstKernel = await openOn(held.storage)
    const secondKernel = kernels === 1 ? firstKernel : await openOn(inner)
    await writeRuntime(firstKernel, 'r')
    await writeRuntime(firstKernel, 'other')
    await writeImage(firstKernel, 'before', 'other')
    await turns(5)
    return [firstKernel, secondKernel, held]
  }

  it.each(ORDERS)('%s is refused', async (_, first, second, refusal) => {
    const [firstKernel, otherKernel, held] = await open()
    const arrived = held.hold()
    const begun = first(firstKernel)
    begun.catch(() => {})
    const release = await arrived
    await second(otherKernel)
    release()
    await expect(begun).rejects.toMatchObject(refusal)
    await agree(firstKernel)
    await Promise.all([firstKernel.close(), otherKernel.close()])
  })

  it('exactly one of a deletion and a registration succeeds', async () => {
    const [firstKernel, otherKernel] = await open()
    for (let round = 0; round < ROUNDS; round++) {
      await writeRuntime(firstKernel, 'r')
      await turns(10)
      const begun = (round % 2 ? remove : register)(firstKernel)
      await turns(round % 7)
      const outcomes = await Promise.allSettled([begun, (round % 2 ? register : remove)(otherKernel)])
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      await agree(firstKernel)
      await firstKernel.plugins.deletePlugin({ type: 'database', name: 'p' })
    }
    await Promise.all([firstKernel.close(), otherKernel.close()])
  })
})

/** Asserts that every registered plugin names an existing runtime. */
async function agree(kernel: Kernel): Promise<void> {
  const runtimes = (await kernel.plugins.listRuntimes()).runtimes.map(({ name }) => name)
  for (const { name, version, builtin } of (await kernel.plugins.readCatalog()).detailed) {
    if (builtin) continue
    const { runtime } = await kernel.plugins.readPlugin({ type: 'database', name, version })
    if (runtime !== undefined) expect(runtimes).toContain(runtime)
  }
}
