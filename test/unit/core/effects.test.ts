import { describe, expect, it } from 'vitest'
import { createKernel } from '../../../src/chosen-kernel.ts'
import { engineValue } from '../../../src/core/contract/engine.ts'
import { driven } from '../../fault/hanging-world.ts'
import {
  DEADLINE,
  type Errands,
  errands,
  fair,
  newTown,
  open,
  RESERVED,
  refusal,
  SEAL,
  shared,
  silent,
  type Town,
} from '../../fixtures/errands.ts'

describe('an effect', () => {
  it('leaves its result and no intent if every step succeeds', async () => {
    const town = newTown()
    const { send, brought, intents, tick } = await open(town, shared())
    expect(await send('bread', 'white')).toBe('white')
    expect([town.calls, await brought('bread'), await intents()]).toEqual([['go white with a basket'], 'white by finish', []])
    expect(await tick()).toMatchObject({ done: 0, nextDueAt: undefined })
  })

  it('stores an intent that does not reveal its payload before it calls the outside system', async () => {
    let during: readonly string[] = []
    let values = ''
    const world = shared()
    const town = newTown({
      go: async ({ value }) => {
        during = (await world.storage.list('l/')).filter((name) => name.includes('/intent/errand/'))
        values = (await world.storage.scan('')).map((entry) => Buffer.from(entry.value).toString('latin1')).join('\n')
        return value
      },
    })
    const { send } = await open(town, world)
    await send('bread', 'a rare word')
    expect(during.length).toBe(1)
    expect(during[0]).toContain('/intent/errand/bread')
    expect(values).not.toContain('a rare word')
    expect(values).not.toContain('a basket')
  })

  it('refuses a second concurrent request for the same name with 503, but not for another name', async () => {
    let go = (_: string): void => {}
    const town = newTown({
      go: ({ name, value }) => (name === 'bread' ? new Promise((resolve) => (go = resolve)) : Promise.resolve(value)),
    })
    const world = shared()
    const { send, clock } = await open(town, world)
    const other = await open(town, world)
    const first = send('bread', 'white')
    await clock.advance(0)
    expect(await send('bread', 'brown')).toBe(503)
    expect(await other.send('bread', 'brown', true)).toBe(503)
    expect(await send('wine', 'red')).toBe('red')
    go('white')
    expect(await first).toBe('white')
    town.go = fair
    expect(await send('bread', 'brown')).toBe('brown')
  })

  it('is never performed by two of 32 concurrent requests for one name at the same time', async () => {
    let [now, most] = [0, 0]
    const town = newTown({
      go: async ({ value }) => {
        most = Math.max(most, ++now)
        await new Promise((resolve) => setImmediate(resolve))
        now--
        return value
      },
    })
    const { send } = await open(town, shared())
    const answers = await Promise.all(Array.from({ length: 32 }, (_, at) => send('bread', `${at}`)))
    expect(most).toBe(1)
    expect(answers.filter((answer) => answer !== 503).length).toBe(town.calls.length)
  })
})

describe('an effect that the outside system refuses', () => {
  it('leaves no intent and returns the refusal', async () => {
    const town = newTown({ go: () => Promise.reject(refusal()) })
    const { errands, intents, brought, tick } = await open(town, shared())
    await expect(errands.send({ name: 'bread', value: 'white' })).rejects.toMatchObject({
      status: 502,
      message: 'the town says no',
    })
    expect([await intents(), await brought('bread')]).toEqual([[], undefined])
    expect((await tick()).done).toBe(0)
  })

  it('is recovered after 10 seconds and then with doubling delays if its refusal handler requests a retry', async () => {
    const town = newTown({
      go: () => Promise.reject(refusal()),
      recover: () => Promise.reject(refusal()),
      refused: () => 'again',
    })
    const { send, clock, tick } = await open(town, shared())
    expect(await send('bread', 'white')).toBe(502)
    for (let [wait, attempts] = [10_000, 1]; attempts < 12; attempts++) {
      await clock.advance(Math.min(wait, 3_600_000) - 1)
      expect(await tick()).toMatchObject({ done: 0, failed: [] })
      await clock.advance(1)
      expect((await tick()).failed).toMatchObject([{ lane: 'intent', error: { message: 'the town says no' } }])
      expect(town.calls.length).toBe(attempts + 1)
      wait *= 2
    }
    expect(town.outcomes.slice(0, 3)).toEqual(['refused 1 surely', 'refused 2 in doubt', 'refused 3 in doubt'])
  })

  it('is recovered hour after hour until recovery succeeds if it has no refusal handler', async () => {
    const town = newTown({ go: silent, recover: () => Promise.reject(refusal()) })
    const { send, clock, tick, intents, brought } = await open(town, shared())
    expect((await driven(clock, send('bread', 'white'))).value).toBe(502)
    for (let hour = 0; hour < 20; hour++) {
      await clock.advance(3_600_000)
      await tick()
    }
    expect([town.calls.length, (await intents()).length]).toEqual([21, 1])
    town.recover = fair
    await clock.advance(3_600_000)
    expect((await tick()).failed).toEqual([])
    expect([await brought('bread'), await intents()]).toEqual(['white by recovery', []])
  })

  it('is reported to its refusal handler as in doubt if it replaced an effect with an unknown outcome', async () => {
    const town = newTown({ go: silent, refused: () => undefined })
    const { send, clock, intents } = await open(town, shared())
    await driven(clock, send('bread', 'white'))
    await clock.advance(RESERVED)
    town.go = () => Promise.reject(refusal())
    expect(await send('bread', 'brown', true)).toBe(502)
    expect(town.outcomes).toEqual(['unsure', 'refused 1 in doubt'])
    expect(await intents()).toEqual([])
  })
})

describe('an effect whose outside system never answers', () => {
  /** Starts an effect whose outside system never answers, and waits until its deadline has passed. */
  async function leftOver(more: Partial<Town> = {}) {
    const town = newTown({ go: silent, ...more })
    const kernelAndStore = await open(town, shared())
    expect((await driven(kernelAndStore.clock, kernelAndStore.send('bread', 'white'))).value).toBe(502)
    expect(town.outcomes).toEqual(['unsure'])
    return { town, ...kernelAndStore }
  }

  it('is recovered by a tick only after its reservation has ended', async () => {
    const { town, clock, tick, send, brought } = await leftOver()
    await clock.advance(RESERVED - DEADLINE - 1001)
    expect(await tick()).toMatchObject({ done: 0 })
    expect(await send('bread', 'brown')).toBe(503)
    await clock.advance(2000)
    expect(await tick()).toMatchObject({ done: 1, failed: [] })
    expect([town.calls.at(-1), await brought('bread')]).toEqual(['recover white', 'white by recovery'])
  })

  it('is recovered by the next request for its name', async () => {
    const { town, clock, send, brought, intents } = await leftOver()
    await clock.advance(RESERVED)
    expect(await send('bread', 'brown')).toBe('nothing')
    expect([town.calls.at(-1), await brought('bread'), await intents()]).toEqual(['recover white', 'white by recovery', []])
  })

  it('is replaced by the next request for its name if that request asks for replacement instead of recovery', async () => {
    const { town, clock, send, tick, brought, intents } = await leftOver()
    await clock.advance(RESERVED)
    town.go = fair
    expect(await send('bread', 'brown', true)).toBe('brown')
    expect([await brought('bread'), await intents()]).toEqual(['brown by finish', []])
    expect((await tick()).done).toBe(0)
  })

  it('is never recovered if it is dropped', async () => {
    const { clock, errands, tick, intents } = await leftOver()
    await errands.drop({ name: 'bread' })
    await errands.drop({ name: 'bread' })
    expect(await intents()).toEqual([])
    await clock.advance(RESERVED)
    expect(await tick()).toMatchObject({ done: 0, nextDueAt: undefined })
  })

  it('is not recovered by a kernel whose engine lacks it, but by the next kernel that has it', async () => {
    const { town, storage, clock, kernel } = await leftOver()
    await kernel.close()
    const parts = errands(town)
    const former = engineValue<Errands>({ type: 'errands', mounts: 'secret', operations: parts.operations, due: {} })
    const older = await createKernel({ engines: [former], storage, clock, seal: SEAL })
    for (let hour = 0; hour < 3; hour++) {
      await clock.advance(3_600_000)
      expect((await older.tick()).failed).toEqual([])
    }
    await older.close()
    expect(town.calls.length).toBe(1)
    const newer = await open(town, { storage, clock })
    await clock.advance(3_600_000)
    expect((await newer.tick()).failed).toEqual([])
    expect(await newer.brought('bread')).toBe('white by recovery')
  })

  it('is recovered once when two kernels tick at the same time', async () => {
    const { town, storage, clock, tick } = await leftOver()
    const other = await open(town, { storage, clock })
    await clock.advance(RESERVED)
    await Promise.all([tick(), other.kernel.tick()])
    expect(town.calls.filter((call) => call.startsWith('recover')).length).toBe(1)
  })
})
