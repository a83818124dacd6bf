/**
 * Many concurrent requests on a storage that fails at some call: every request is answered, none is lost or done twice, no request waits
 * forever, and the kernel continues after the fault.
 */
import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/index.ts'
import { CASES, crowdAtEach, crowdOn, MAX_CALLS, WRITERS, WRITES } from './crowding.ts'
import { far } from './faulty-work.ts'

describe('concurrent requests', () => {
  it.each(CASES)(
    'lose no acknowledged write if the fault is $name at one of a few storage calls (store: $where)',
    ({ name, index, place }) => crowdAtEach(name, place, 1 + index * 12, 137),
  )

  it('make fewer storage calls than the limit of these tests, and are refused if every call fails', async () => {
    const inner = () => far(memoryStorage({ maxOps: 128 }))
    const { calls } = await crowdOn(inner(), () => undefined)
    expect(calls).toBeGreaterThan(MAX_CALLS / 4)
    expect(calls).toBeLessThan(MAX_CALLS)
    expect((await crowdOn(inner(), () => 'error')).refused).toBe(WRITERS * WRITES)
  })
})
