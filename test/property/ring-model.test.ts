/**
 * Compares a key ring with a model over random sequences of all operations on a key.
 */

import { describe, expect, it } from 'vitest'
import fc from '../fixtures/fast-check.ts'
import { ALL_STORES, MEMORY } from '../fixtures/stores.ts'
import { RingModel } from './ring-model.ts'
import { takeWalk, walks } from './ring-walk.ts'
import { bytesOf, FEW, RUNS } from './support.ts'

describe('a transit key', () => {
  it('behaves like its model in any sequence of rotation, configuration, use, deletion and recreation', async () => {
    await fc.assert(
      fc.asyncProperty(walks(60), async (walk) => {
        const { storage, drop } = await MEMORY.open()
        await takeWalk(storage, walk)
        await drop()
      }),
      { numRuns: RUNS * 2 },
    )
  })
})

describe.each(ALL_STORES)('a transit key on $name', (store) => {
  it('behaves like its model in any sequence of operations', async () => {
    await fc.assert(
      fc.asyncProperty(walks(24), async (walk) => {
        const { storage, drop } = await store.open()
        try {
          await takeWalk(storage, walk)
        } finally {
          await drop()
        }
      }),
      { numRuns: FEW },
    )
  })
})

describe('RingModel, the model of a transit key', () => {
  it('refuses invalid operations', () => {
    const model = new RingModel()
    expect([model.rotate(), model.delete(), model.configure({})]).toEqual([false, false, false])
    expect(model.encrypts(2)).toBe(undefined)
    expect(model.encrypts(0)).toBe(1)
    expect(model.rotate() && model.rotate()).toBe(true)
    expect(model.configure({ min_decryption_version: 4 })).toBe(false)
    expect(model.configure({ min_decryption_version: 3, min_encryption_version: 2 })).toBe(false)
    expect(model.configure({ min_decryption_version: 2 })).toBe(true)
    expect([model.produces(1), model.produces(2), model.produces(0), model.produces(4)]).toEqual([undefined, 2, 3, undefined])
    const made = { text: '', plaintext: bytesOf(1, 1), life: 1 }
    expect([model.opens({ ...made, version: 1 }), model.opens({ ...made, version: 2 })]).toEqual([false, true])
    expect(model.delete()).toBe(false)
    expect(model.configure({ deletion_allowed: true }) && model.delete()).toBe(true)
    expect(model.encrypts(1)).toBe(1)
    expect(model.opens({ ...made, version: 2 })).toBe(false)
  })
})
