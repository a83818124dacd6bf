/** Compares key/value version 2 with a model over random sequences of all operations, including crashes. */

import { describe, expect, it } from 'vitest'
import fc from '../fixtures/fast-check.ts'
import { runs } from '../fixtures/runs.ts'
import { CHAOTIC, LMDB, SMALL_COMMITS } from '../fixtures/stores.ts'
import { Kv2Model } from './kv2-model.ts'
import { takeWalk, walks } from './kv2-walk.ts'
import { FEW } from './support.ts'

describe('a mount of kv version 2', () => {
  it('behaves like its model in any sequence of operations, pauses and crashes', async () => {
    await fc.assert(
      fc.asyncProperty(walks(40), async (walk) => {
        const { storage, drop } = await SMALL_COMMITS.open()
        await takeWalk(storage, walk)
        await drop()
      }),
      { numRuns: runs({ quick: 6, soak: 1000 }) },
    )
  })
})

describe.each([CHAOTIC, LMDB])('a mount of kv version 2 on $name', (store) => {
  it('behaves like its model in any sequence of operations', async () => {
    await fc.assert(
      fc.asyncProperty(walks(16), async (walk) => {
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

describe('Kv2Model, the model of kv version 2', () => {
  it('refuses invalid operations', () => {
    const model = new Kv2Model()
    expect([model.write('a', 1, 1, 0), model.patch('a', {}, undefined, 0), model.patchSettings('a', {}, 0, 0)]).toEqual([
      400, 404, 404,
    ])
    expect([model.write('a', {}, 0, 0), model.write('a', {}, 0, 0), model.write('a', {}, 1, 0)]).toEqual([0, 400, 0])
    expect(model.keys.get('a')?.current).toBe(2)
    expect([model.settings('a', { cas_required: true }, 1, 0), model.settings('a', { cas_required: true }, 0, 0)]).toEqual([
      400, 0,
    ])
    expect(model.write('a', {}, undefined, 0)).toBe(400)
    model.deleteVersions('a', [2], 5)
    expect(model.patch('a', {}, 2, 5)).toBe(404)
    expect(model.patch('a', {}, 1, 5)).toBe(400)
  })
})
