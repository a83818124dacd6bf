/** A fence register outside of both clusters decides which of them may write. */
import { afterEach, describe, expect, it } from 'vitest'
import { type FencePort, type Kernel, memoryStorage, storageFence } from '../../../src/index.ts'
import { type FakeClock, fakeClock } from '../../../src/testing/index.ts'
import { enable, follow, KINDS, sideOf, ticked, until, World } from './world.ts'

const world = new World()

afterEach(async () => {
  world.cut.clear()
  world.silent.clear()
  await world.close()
})

const secret = (path: string) => ({ path, data: { of: path } })

/** Advances the clock in steps until the work has ended. */
async function throughTime<T>(clock: FakeClock, work: Promise<T>, most = 120_000): Promise<T> {
  let over = false
  const done = work.finally(() => {
    over = true
  })
  done.catch(() => {})
  for (let at = 0; !over && at < most; at += 250) await clock.advance(250)
  return done
}

/** A fence register that a test can make fail, hang or return invalid values. */
class Troubled implements FencePort {
  trouble: 'none' | 'throws' | 'hangs' | 'lost answers' | 'nonsense' = 'none'
  swaps = 0
  readonly #inner = storageFence(memoryStorage())

  read(name: string): Promise<string | undefined> {
    return this.#troubled(() => this.#inner.read(name, new AbortController().signal))
  }

  swap(name: string, from: string | undefined, to: string): Promise<boolean> {
    this.swaps++
    return this.#troubled(() => this.#inner.swap(name, from, to, new AbortController().signal))
  }

  async #troubled<T>(work: () => Promise<T>): Promise<T> {
    if (this.trouble === 'throws') throw new Error('the fence is broken')
    if (this.trouble === 'hangs') return new Promise<T>(() => {})
    if (this.trouble === 'nonsense') return { not: 'an answer' } as T
    const answer = await work()
    if (this.trouble === 'lost answers') throw new Error('the answer was lost')
    return answer
  }
}

async function pairWith(
  kind: (typeof KINDS)[number],
  options: { promotion?: 'compat' | 'strict'; fence?: FencePort },
  clock: FakeClock,
) {
  const primary = await world.open('a', { clock, replication: options })
  await enable(primary, kind)
  const secondary = await world.open('b', { clock, replication: options })
  await follow(secondary, primary, kind, 'b')
  return [primary, secondary] as const
}

const readOf = async (kernel: Kernel, path: string) => (await kernel.kv.readSecret({ path })).data

describe.each(KINDS)('promotion without force (%s)', (kind) => {
  it('with the rule "strict" is refused without proof that the primary has stopped writing', async () => {
    const [primary, secondary] = await pairWith(kind, { promotion: 'strict' }, fakeClock())
    await expect(sideOf(secondary, kind).promote()).rejects.toThrow('the primary is alive')
    world.cut.add('a')
    await expect(sideOf(secondary, kind).promote()).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('use force'),
    })
    await primary.kv.writeSecret(secret('alone'))
    await sideOf(secondary, kind).promote({ force: true })
    await secondary.kv.writeSecret(secret('new'))
  })

  it('with the rule "strict" succeeds with a certificate of the demoted primary', async () => {
    const [primary, secondary] = await pairWith(kind, { promotion: 'strict' }, fakeClock())
    await primary.kv.writeSecret(secret('last'))
    await sideOf(primary, kind).demotePrimary()
    await sideOf(secondary, kind).promote()
    expect(await readOf(secondary, 'last')).toEqual({ of: 'last' })
  })

  it('with the rule "compat" succeeds if the secondary has every record that it knows to exist', async () => {
    const [, secondary] = await pairWith(kind, {}, fakeClock())
    world.cut.add('a')
    await sideOf(secondary, kind).promote()
    await secondary.kv.writeSecret(secret('new'))
  })

  it('is refused while an unreachable primary renews its write lease in the fence register', async () => {
    const clock = fakeClock()
    const [primary, secondary] = await pairWith(kind, { promotion: 'strict', fence: storageFence(memoryStorage()) }, clock)
    await primary.kv.writeSecret(secret('first'))
    await ticked(secondary)
    world.cut.add('a')
    let promoted = false
    const promotion = sideOf(secondary, kind)
      .promote()
      .then(() => {
        promoted = true
      })
    // No write is acknowledged after the promotion.
    const written: string[] = []
    const writes = (async () => {
      for (let n = 0; !promoted; n++) {
        await primary.kv.writeSecret(secret(`n${n}`)).then(
          () => {
            expect(promoted).toBe(false)
            written.push(`n${n}`)
          },
          () => {},
        )
        await clock.sleep(500)
      }
    })()
    await throughTime(
      clock,
      promotion.catch(() => {}),
      60_000,
    )
    promoted = true
    await throughTime(clock, writes)
    await expect(promotion).rejects.toThrow('the primary has renewed its write lease')
    expect(written.length).toBeGreaterThan(20)
  })

  it('succeeds after the write lease of an unreachable primary has expired', async () => {
    const clock = fakeClock()
    const fence = new Troubled()
    const [primary, secondary] = await pairWith(kind, { promotion: 'strict', fence }, clock)
    await primary.kv.writeSecret(secret('first'))
    await ticked(secondary)
    world.cut.add('a')
    const begun = clock.now()
    await throughTime(clock, sideOf(secondary, kind).promote())
    expect(clock.now() - begun).toBeGreaterThanOrEqual(15_000)
    await secondary.kv.writeSecret(secret('new'))
    // It is unreachable, and learns at its next write that it is no longer the primary.
    await expect(primary.kv.writeSecret(secret('late'))).rejects.toMatchObject({ status: 503 })
    await until(async () => (await sideOf(primary, kind).readStatus()).mode === 'secondary')
  })
})

describe.each(KINDS)('a primary with a fence register (%s)', (kind) => {
  it('renews its write lease before it expires, and not for each write', async () => {
    const clock = fakeClock()
    const fence = new Troubled()
    const [primary] = await pairWith(kind, { fence }, clock)
    for (let n = 0; n < 30; n++) {
      await primary.kv.writeSecret(secret(`n${n}`))
      await clock.advance(2000)
    }
    const { swaps } = fence
    // The lease is not renewed for each write.
    expect(swaps).toBeLessThan(25)
    for (let n = 0; n < 10; n++) {
      await clock.advance(6000)
      await primary.tick()
    }
    expect(fence.swaps).toBeGreaterThanOrEqual(swaps + 9)
  })

  it.each(['throws', 'hangs', 'nonsense'] as const)(
    'refuses writes but not reads while the register fails (%s)',
    async (trouble) => {
      const clock = fakeClock()
      const fence = new Troubled()
      const [primary] = await pairWith(kind, { fence }, clock)
      await primary.kv.writeSecret(secret('one'))
      fence.trouble = trouble
      await clock.advance(10_000)
      // The write lease is still valid.
      await primary.kv.writeSecret(secret('two'))
      await clock.advance(4000)
      await expect(throughTime(clock, primary.kv.writeSecret(secret('three')))).rejects.toMatchObject({
        code: 'ERR_UNAVAILABLE',
        message: expect.stringContaining('replication.fence'),
      })
      expect(await readOf(primary, 'two')).toEqual({ of: 'two' })
      await expect(primary.kv.readSecret({ path: 'three' })).rejects.toMatchObject({ status: 404 })
      expect((await sideOf(primary, kind).readStatus()).last_error).toContain('replication.fence')
      fence.trouble = 'none'
      await clock.advance(6000)
      await primary.kv.writeSecret(secret('three'))
      expect((await sideOf(primary, kind).readStatus()).last_error).toBeUndefined()
    },
  )

  it('writes again after the answer to a successful compare-and-set was lost', async () => {
    const clock = fakeClock()
    const fence = new Troubled()
    const [primary] = await pairWith(kind, { fence }, clock)
    fence.trouble = 'lost answers'
    await clock.advance(14_000)
    await expect(primary.kv.writeSecret(secret('one'))).rejects.toMatchObject({ code: 'ERR_UNAVAILABLE' })
    fence.trouble = 'none'
    await clock.advance(2000)
    await primary.kv.writeSecret(secret('one'))
  })

  it('renews its write lease before the next write if the clock was set back', async () => {
    const clock = fakeClock()
    const fence = new Troubled()
    const [primary] = await pairWith(kind, { fence }, clock)
    await primary.kv.writeSecret(secret('one'))
    fence.trouble = 'throws'
    const now = clock.now()
    // The clock goes back by less than the age of the lease, so the timer has to detect the end.
    await clock.advance(10_000)
    clock.set(now)
    await clock.advance(4000)
    await expect(primary.kv.writeSecret(secret('two'))).rejects.toMatchObject({ code: 'ERR_UNAVAILABLE' })
    fence.trouble = 'none'
    await clock.advance(2000)
    await primary.kv.writeSecret(secret('two'))
    fence.trouble = 'throws'
    // The clock jumps ahead, as after a pause of the process, so the time of day has to detect the end.
    clock.set(clock.now() + 20_000)
    await expect(primary.kv.writeSecret(secret('three'))).rejects.toMatchObject({ code: 'ERR_UNAVAILABLE' })
    fence.trouble = 'none'
    await clock.advance(2000)
    await primary.kv.writeSecret(secret('three'))
    fence.trouble = 'throws'
    clock.set(clock.now() - 3_600_000)
    await expect(primary.kv.writeSecret(secret('four'))).rejects.toMatchObject({ code: 'ERR_UNAVAILABLE' })
  })

  it('fails a write if its commit ends after the write lease has expired', async () => {
    const clock = fakeClock()
    const held: (() => void)[] = []
    let slow = false
    const inner = memoryStorage({ maxOps: 128 })
    const storage: typeof inner = {
      ...inner,
      async commit(ops, id) {
        const verdict = await inner.commit(ops, id)
        if (slow) await new Promise<void>((resolve) => held.push(resolve))
        return verdict
      },
    }
    const primary = await world.open('a', { clock, storage, replication: { fence: storageFence(memoryStorage()) } })
    await enable(primary, kind)
    await primary.kv.writeSecret(secret('one'))
    slow = true
    const write = primary.kv.writeSecret(secret('two'))
    const refused = expect(write).rejects.toMatchObject({ code: 'ERR_NOT_ACKNOWLEDGED', committed: true })
    await clock.advance(14_000)
    slow = false
    for (const go of held) go()
    await refused
  })

  it('becomes a secondary when the register shows that another cluster has replaced it', async () => {
    const clock = fakeClock()
    const fence = new Troubled()
    const [primary, secondary] = await pairWith(kind, { promotion: 'strict', fence }, clock)
    await primary.kv.writeSecret(secret('first'))
    await ticked(secondary)
    world.cut.add('a')
    await throughTime(clock, sideOf(secondary, kind).promote())
    // Now as a kernel of the former primary without a write lease.
    await primary.tick()
    await until(async () => (await sideOf(primary, kind).readStatus()).mode === 'secondary')
    await expect(primary.kv.writeSecret(secret('late'))).rejects.toMatchObject({ status: 400 })
    expect(await readOf(secondary, 'first')).toEqual({ of: 'first' })
  })
})

describe.each(KINDS)('promotion of a secondary by the fence register (%s)', (kind) => {
  it('is refused if the register has no record of its primary', async () => {
    const clock = fakeClock()
    const primary = await world.open('a', { clock })
    await enable(primary, kind)
    const secondary = await world.open('b', { clock, replication: { promotion: 'strict', fence: storageFence(memoryStorage()) } })
    await follow(secondary, primary, kind, 'b')
    world.cut.add('a')
    await expect(sideOf(secondary, kind).promote()).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('the fence register has no record of it'),
    })
  })

  it('is refused if the register has only the record of an earlier primary', async () => {
    const clock = fakeClock()
    const fence = storageFence(memoryStorage())
    const first = await world.open('a', { clock, replication: { fence } })
    await enable(first, kind)
    await first.kv.writeSecret(secret('one'))
    const [second, third] = [
      await world.open('b', { clock }),
      await world.open('c', { clock, replication: { promotion: 'strict', fence } }),
    ]
    await follow(second, first, kind, 'b')
    await follow(third, first, kind, 'c')
    world.cut.add('a')
    // The second cluster has no fence register, so it writes without one.
    await sideOf(second, kind).promote()
    const { wrap_info } = await sideOf(second, kind).createSecondaryToken({ id: 'c' })
    await sideOf(third, kind).updatePrimary({ token: wrap_info?.token ?? '' })
    await ticked(third)
    world.cut.add('b')
    await expect(throughTime(clock, sideOf(third, kind).promote())).rejects.toThrow('the fence register has no record of it')
  })

  it('is refused if the secondary lacks records that the register mentions', async () => {
    const clock = fakeClock()
    const [primary, secondary] = await pairWith(kind, { promotion: 'strict', fence: new Troubled() }, clock)
    world.cut.add('a')
    await primary.kv.writeSecret(secret('alone'))
    await clock.advance(6000)
    await primary.tick()
    await expect(throughTime(clock, sideOf(secondary, kind).promote())).rejects.toMatchObject({
      status: 503,
      message: expect.stringMatching(
        /\d+ records? that the primary had (is|are) missing here \(the primary acknowledged \d+ of th(is|ese) \d+\): wait until it has, or use force/,
      ),
    })
  })

  it('takes at most 17 seconds if the primary accepts connections and never answers', async () => {
    const clock = fakeClock()
    const [, secondary] = await pairWith(kind, { promotion: 'strict', fence: new Troubled() }, clock)
    const took = async () => {
      const begun = clock.now()
      await throughTime(clock, sideOf(secondary, kind).promote())
      return clock.now() - begun
    }
    world.silent.add('a')
    // Background work also waits for the primary.
    const stop = secondary.start()
    await clock.advance(3000)
    expect(await took()).toBeLessThanOrEqual(17_000)
    stop()
  })

  it('fetches the last records from the demoted primary', async () => {
    const clock = fakeClock()
    const [primary, secondary] = await pairWith(kind, { promotion: 'strict', fence: new Troubled() }, clock)
    await primary.kv.writeSecret(secret('last'))
    await sideOf(primary, kind).demotePrimary()
    await throughTime(clock, sideOf(secondary, kind).promote())
    expect((await secondary.kv.readSecret({ path: 'last' })).data).toEqual({ of: 'last' })
  })

  it('takes less than 5 seconds if the primary was demoted', async () => {
    const clock = fakeClock()
    const [primary, secondary] = await pairWith(kind, { promotion: 'strict', fence: new Troubled() }, clock)
    await primary.kv.writeSecret(secret('last'))
    await sideOf(primary, kind).demotePrimary()
    await ticked(secondary)
    world.cut.add('a')
    const begun = clock.now()
    await throughTime(clock, sideOf(secondary, kind).promote())
    expect(clock.now() - begun).toBeLessThan(5000)
    expect(await readOf(secondary, 'last')).toEqual({ of: 'last' })
  })

  it('is refused while the register does not answer, except by force', async () => {
    const clock = fakeClock()
    const fence = new Troubled()
    const [, secondary] = await pairWith(kind, { promotion: 'strict', fence }, clock)
    world.cut.add('a')
    fence.trouble = 'hangs'
    await expect(throughTime(clock, sideOf(secondary, kind).promote())).rejects.toMatchObject({ code: 'ERR_UNAVAILABLE' })
    const said = await throughTime(clock, promotedByForce(secondary, kind))
    expect(said.join(' ')).toContain('cannot write yet')
    await expect(throughTime(clock, secondary.kv.writeSecret(secret('new')))).rejects.toMatchObject({ code: 'ERR_UNAVAILABLE' })
    fence.trouble = 'none'
    await clock.advance(2000)
    await secondary.kv.writeSecret(secret('new'))
  })

  it('succeeds once if two secondaries try concurrently', async () => {
    const clock = fakeClock()
    const options = { promotion: 'strict', fence: storageFence(memoryStorage()) } as const
    const [primary, second] = await pairWith(kind, options, clock)
    const third = await world.open('c', { clock, replication: options })
    await follow(third, primary, kind, 'c')
    await ticked(second)
    world.cut.add('a')
    const outcomes = await throughTime(clock, Promise.allSettled([second, third].map((kernel) => sideOf(kernel, kind).promote())))
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })
})

/** The warnings of a forced promotion. */
async function promotedByForce(kernel: Kernel, kind: (typeof KINDS)[number]): Promise<readonly string[]> {
  return (await sideOf(kernel, kind).promote({ force: true })).warnings ?? []
}
