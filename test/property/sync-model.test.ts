/** Writes, deletions, sets, removals, troubles and ticks of two kernels in any order: store, rows and live versions agree in the end. */
import { afterEach, expect, it, vi } from 'vitest'
import fc from '../fixtures/fast-check.ts'
import { ACT, type Act, type Parts, walk } from './sync-model.ts'

const SEQUENCE = '../../src/sys/sync/work/sequence.ts'

async function loaded(): Promise<Parts> {
  vi.resetModules()
  const [index, testing, { openProcess }] = await Promise.all([
    import('../../src/index.ts'),
    import('../../src/testing/index.ts'),
    import('../fault/sync-process.ts'),
  ])
  return { index, testing, open: openProcess }
}

afterEach(() => vi.doUnmock(SEQUENCE))

it('holds whatever happens', async () => {
  const parts = await loaded()
  await fc.assert(
    fc.asyncProperty(fc.array(ACT, { minLength: 3, maxLength: 25 }), (acts) => walk(parts, acts)),
    { numRuns: 60 },
  )
}, 600_000)

const one = { path: 'x', by: 0 } as const

/** A removal, and a change, while a push is under way. */
const MEANWHILE: Readonly<Record<string, readonly Act[]>> = {
  'a removal': [
    { do: 'write', ...one },
    { do: 'hold' },
    { do: 'set', ...one },
    { do: 'remove', path: 'x', by: 1 },
    { do: 'release' },
  ],
  'a change that was told': [
    { do: 'write', ...one },
    { do: 'hold' },
    { do: 'set', ...one },
    { do: 'write', path: 'x', by: 1 },
    { do: 'tick', by: 1 },
    { do: 'release' },
  ],
}

it.each(Object.entries(MEANWHILE))('would lose %s without the check of the sequence number', async (_, acts) => {
  await walk(await loaded(), acts)
  vi.doMock(SEQUENCE, () => ({ isSuperseded: () => false }))
  await expect(walk(await loaded(), acts)).rejects.toThrow()
})
