/**
 * Storages that report a commit which they did not make, or do not return what they have. Initialization on such a storage must fail in
 * bounded time.
 */
import { describe, expect, it } from 'vitest'
import { type Clock, createKernel, keySeal, memoryStorage, type Storage, systemClock } from '../../src/index.ts'

/** How each storage differs from a memory storage. */
const FORGETFUL: Readonly<Record<string, (storage: Storage) => Partial<Storage>>> = {
  'drops every write': (storage) => ({
    commit: async (ops) => {
      for (const op of ops) {
        if (op.op === 'append' || op.expect === undefined) continue
        const version = (await storage.get(op.key))?.version ?? 0
        if (version !== op.expect) return { ok: false, conflict: op.key, version }
      }
      return { ok: true, revision: 1, appended: [] }
    },
  }),
  'drops every write and judges none': () => ({ commit: async () => ({ ok: true, revision: 1, appended: [] }) }),
  'says to every write that others were faster': () => ({
    commit: async (ops) => ({ ok: false, conflict: (ops.find((op) => op.op === 'put') as { key: string }).key, version: 7 }),
  }),
  'forgets what is written at once': () => ({ get: async () => undefined, getMany: async (keys) => keys.map(() => undefined) }),
}

/** Short waits between attempts take no time. Deadlines are longer and take real time. */
const impatient: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => (ms < 1000 ? Promise.resolve() : systemClock.sleep(ms, signal)),
}

describe('initialization of a store', () => {
  for (const [what, spoil] of Object.entries(FORGETFUL))
    it(`fails with status 503 after a bounded number of attempts on a storage that ${what}`, async () => {
      const memory = memoryStorage()
      const { getSync: _, ...whole } = memory
      const storage: Storage = { ...whole, ...spoil(memory) }
      const opened = createKernel({ storage, seal: keySeal(new Uint8Array(32)), initialize: true, clock: impatient })
      await expect(opened).rejects.toMatchObject({ status: 503 })
    })

  it('fails after a bounded number of attempts on a storage that does not list the records it has', async () => {
    const memory = memoryStorage()
    const { getSync: _, ...whole } = memory
    const dies: Storage = {
      ...whole,
      commit: async (ops, id) => {
        const verdict = await memory.commit(ops, id)
        throw Object.assign(new Error('gone'), { verdict })
      },
    }
    const seal = keySeal(new Uint8Array(32))
    await expect(createKernel({ storage: dies, seal, initialize: true, clock: impatient })).rejects.toThrow()
    const blind: Storage = { ...whole, list: async () => [] }
    await expect(createKernel({ storage: blind, seal, initialize: true, clock: impatient })).rejects.toMatchObject({
      code: 'ERR_UNAVAILABLE',
      message: expect.stringContaining('cannot be initialized'),
    })
    const kernel = await createKernel({ storage: memory, seal, initialize: true })
    await kernel.close()
  })
})
