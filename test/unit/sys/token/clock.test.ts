import { describe, expect, it } from 'vitest'
import { memoryStorage, type Storage } from '../../../../src/index.ts'
import { fakeClock } from '../../../../src/testing/index.ts'
import { lookSelf, NOTHING, openOn, remains, tickAll, tokenFor } from './support.ts'

const HOUR = 3_600_000

describe('a jump of the clock', () => {
  it('forward expires tokens, which stay invalid when the clock is set back', async () => {
    const clock = fakeClock()
    const storage = memoryStorage()
    await using kernel = await openOn(storage, clock)
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, i) => tokenFor(kernel, { policies: ['default'], ttl: `${i + 1}h` })),
    )
    clock.set(clock.now() + 10 * HOUR)
    expect(await Promise.all(tokens.map((token) => lookSelf(kernel, token)))).toEqual([
      ...Array(10).fill(403),
      ...Array(10).fill(200),
    ])
    await tickAll(kernel)
    expect((await kernel.tick()).done).toBe(0)
    clock.set(clock.now() - 10 * HOUR)
    // Purged tokens stay invalid.
    expect(await Promise.all(tokens.map((token) => lookSelf(kernel, token)))).toEqual([
      ...Array(10).fill(403),
      ...Array(10).fill(200),
    ])
    clock.set(clock.now() + 30 * HOUR)
    await tickAll(kernel)
    expect(await remains(storage)).toEqual(NOTHING)
  })

  it('backward during a tick loses no token and no due work', async () => {
    const clock = fakeClock()
    const inner = memoryStorage()
    const start = clock.now()
    let jumped = false
    const storage: Storage = {
      ...inner,
      commit: (ops, id) => {
        // A tick claims a lane only after it has found due work in it.
        if (!jumped && ops.some((op) => 'key' in op && op.key.startsWith('i/claim/revocation/'))) {
          jumped = true
          clock.set(start)
        }
        return inner.commit(ops, id)
      },
    }
    await using kernel = await openOn(storage, clock)
    const token = await tokenFor(kernel, { policies: ['default'], ttl: '1h' })
    clock.set(start + 2 * HOUR)
    expect((await kernel.tick()).done).toBe(1)
    expect(clock.now()).toBe(start)
    expect(await lookSelf(kernel, token)).toBe(200)
    clock.set(start + 2 * HOUR)
    expect(await lookSelf(kernel, token)).toBe(403)
    await tickAll(kernel)
    expect(await remains(inner)).toEqual(NOTHING)
  })

  it('backward does not allow a renewal beyond the maximum lifetime', async () => {
    const clock = fakeClock()
    await using kernel = await openOn(memoryStorage(), clock)
    const token = await tokenFor(kernel, { policies: ['default'], ttl: '2h', explicit_max_ttl: '5h' })
    const made = clock.now()
    clock.set(made - HOUR)
    const { lease_duration } = await kernel.as(token).tokens.renewSelf({ increment: '10h' })
    expect(clock.now() + lease_duration * 1000).toBe(made + 5 * HOUR)
    clock.set(made + 4 * HOUR)
    expect((await kernel.as(token).tokens.renewSelf({ increment: '10h' })).lease_duration).toBe(3600)
    clock.set(made + 5 * HOUR)
    expect(await lookSelf(kernel, token)).toBe(403)
  })
})
