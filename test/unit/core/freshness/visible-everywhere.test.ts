import { describe, expect, it } from 'vitest'
import { createKernel, type Kernel, keySeal, memoryStorage, type Storage } from '../../../../src/index.ts'
import { type FakeClock, fakeClock } from '../../../../src/testing/index.ts'
import { bytesOf, utf8 } from '../../../property/support.ts'

const SEAL = keySeal(bytesOf(32, 8))
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const openOn = (storage: Storage, clock: FakeClock, more: object = {}): Promise<Kernel> =>
  createKernel({ storage, clock, seal: SEAL, initialize: true, ...more })

const watched = (promise: Promise<unknown>): { done: boolean } => {
  const state = { done: false }
  promise.then(
    () => {
      state.done = true
    },
    () => {},
  )
  return state
}

describe('kernel.visibleEverywhere', () => {
  it('resolves once a kernel without watch notifications answers with the last commit', async () => {
    const clock = fakeClock()
    const inner = memoryStorage()
    const writer = await openOn(inner, clock)
    const deaf = await openOn({ ...inner, watch: async () => async () => {} }, clock)
    await writer.transit.createKey({ name: 'k' })
    const version = async () => (await deaf.transit.encrypt({ name: 'k', plaintext: utf8('x') })).key_version
    await version()
    for (let round = 2; round < 6; round++) {
      await clock.advance(round * 333)
      await version()
      await writer.transit.rotateKey({ name: 'k' })
      const settled = writer.visibleEverywhere()
      const state = watched(settled)
      // Continuous use must not prevent the kernel from refreshing.
      while (!state.done) {
        await clock.advance(100)
        if (!state.done) await version()
      }
      expect(await version()).toBe(round)
    }
  })

  it('waits for the staleness bound plus one percent, even if the wall clock jumps forward', async () => {
    const clock = fakeClock()
    const kernel = await openOn(memoryStorage(), clock, { cache: { stalenessMs: 500 } })
    const state = watched(kernel.visibleEverywhere())
    clock.set(clock.now() + 86_400_000)
    await clock.advance(500)
    expect(state.done).toBe(false)
    await clock.advance(6)
    expect(state.done).toBe(true)
  })

  it('does not wait if the store is not shared or the staleness bound is 0', async () => {
    const clock = fakeClock()
    const memory = memoryStorage()
    const alone = await openOn({ ...memory, caps: { ...memory.caps, shared: false } }, clock)
    await alone.visibleEverywhere()
    const exact = await openOn(memoryStorage(), clock, { cache: { stalenessMs: 0 } })
    await exact.visibleEverywhere()
  })

  it('waits until counter blocks for encryptions that are being reserved are written', async () => {
    const clock = fakeClock()
    const memory = memoryStorage()
    let open: (() => void) | undefined
    let gate: Promise<void> | undefined
    const storage: Storage = {
      ...memory,
      caps: { ...memory.caps, shared: false },
      commit: async (ops, id) => {
        await gate
        return memory.commit(ops, id)
      },
    }
    const kernel = await openOn(storage, clock)
    await kernel.transit.createKey({ name: 'k' })
    await kernel.transit.encrypt({ name: 'k', plaintext: utf8('x') })
    gate = new Promise((resolve) => {
      open = resolve
    })
    // The next block is reserved in the background once half of the first one is used.
    for (let n = 0; n < 600; n++) await kernel.transit.encrypt({ name: 'k', plaintext: utf8('x') })
    const state = watched(kernel.visibleEverywhere())
    for (let turns = 0; turns < 5; turns++) await turn()
    expect(state.done).toBe(false)
    open?.()
    for (let turns = 0; turns < 5; turns++) await turn()
    expect(state.done).toBe(true)
  })

  it('rejects while the kernel is sealed, and when the kernel is closed', async () => {
    const clock = fakeClock()
    const kernel = await openOn(memoryStorage(), clock)
    const waiting = kernel.visibleEverywhere()
    waiting.catch(() => {})
    await turn()
    await kernel.seal.seal()
    await expect(kernel.visibleEverywhere()).rejects.toMatchObject({ status: 503 })
    await kernel.close()
    await expect(waiting).rejects.toThrow(TypeError)
    await expect(kernel.visibleEverywhere()).rejects.toThrow(TypeError)
  })
})
