/**
 * A process dies at its n-th commit, for some n, before or after the commit takes effect. The next process that opens the store finds the
 * state before or after the interrupted operation, and can continue.
 * The slow tier tries half of all n, the soak tier every n.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/index.ts'
import { crashingStorage, fakeClock } from '../../src/testing/index.ts'
import { crashAtEach, makeReference, openOn, reference } from './crashing.ts'
import { MANY_VERSIONS } from './workload.ts'

beforeAll(makeReference)

describe('a crash of the process', () => {
  it('is simulated at more than 25 commits', () => {
    expect(reference.commits).toBeGreaterThan(25)
  })

  it.each(['before', 'after'] as const)('loses no acknowledged change if it happens %s a commit takes effect', (when) =>
    crashAtEach(when, 8),
  )

  it.each(['before', 'after'] as const)(
    'during initialization leaves a store that another process can open, if it happens %s a commit takes effect',
    async (when) => {
      for (const crashAt of [1, 2]) {
        const inner = memoryStorage()
        const clock = fakeClock()
        await expect(openOn(crashingStorage(inner, { crashAt, when }), clock)).rejects.toMatchObject({ status: 503 })
        expect((await inner.scan('')).length === 0).toBe(crashAt === 1 && when === 'before')
        const kernel = await openOn(inner, clock)
        // The next kernel initializes the store again, unless the commit took effect which records that the shares were returned.
        expect(kernel.rootToken === undefined).toBe(crashAt === 2 && when === 'after')
        await kernel.transit.createKey({ name: 'k' })
        expect((await kernel.transit.listKeys({})).keys).toEqual(['k'])
        await kernel.close()
      }
    },
  )

  it('during the deletion of a key with many versions leaves no key bytes after later ticks', async () => {
    expect(reference.states[0]).toMatchObject({ aged: { latest_version: MANY_VERSIONS } })
    expect(Object.keys(reference.states.at(-1)!)).toContain('aged')
    expect(reference.states.at(-1)).toMatchObject({ aged: { latest_version: 1 } })
  })
})
