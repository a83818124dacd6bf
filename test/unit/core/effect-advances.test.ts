import { describe, expect, it } from 'vitest'
import { KernelError } from '../../../src/core/base/errors.ts'
import { PossiblyApplied } from '../../../src/core/contract/effect.ts'
import { BROUGHT, DEADLINE, fair, newTown, open, RESERVED, shared, silent } from '../../fixtures/errands.ts'

const unsettled = () => Promise.reject(new PossiblyApplied(new KernelError('ERR_UPSTREAM', 'the town was cut off')))

describe('an effect that saves its progress', () => {
  it('is recovered from its last saved progress, whose records remain stored', async () => {
    const town = newTown({
      go: async ({ name }, { saveProgress: advance }) => {
        await advance({ name, value: 'half' }, (tx) => tx.put(BROUGHT, name, { value: 'half', by: 'finish' }))
        return silent()
      },
    })
    const { send, brought, clock, tick, intents } = await open(town, shared())
    const sent = send('bread', 'white')
    await clock.advance(2 * DEADLINE)
    expect([await sent, await brought('bread')]).toEqual([502, 'half by finish'])
    await clock.advance(RESERVED)
    await tick()
    expect([town.calls.at(-1), await brought('bread'), await intents()]).toEqual(['recover half', 'half by recovery', []])
  })

  it('finishes with the result of its perform step if nothing fails', async () => {
    const town = newTown({
      go: async ({ name, value }, { saveProgress: advance }) => {
        await advance({ name, value: 'half' }, () => {})
        return value
      },
    })
    const { send, brought, intents } = await open(town, shared())
    expect([await send('bread', 'white'), await brought('bread'), await intents()]).toEqual(['white', 'white by finish', []])
  })

  it('writes nothing after another kernel has recovered it', async () => {
    const world = shared()
    let goOn = (): void => {}
    const outcomes: unknown[] = []
    const town = newTown({
      go: async ({ name, value }, { saveProgress: advance }) => {
        await new Promise<void>((go) => {
          goOn = go
        })
        await advance({ name, value: 'half' }, (tx) => tx.put(BROUGHT, name, { value: 'half', by: 'finish' })).catch((error) => {
          outcomes.push((error as KernelError).status)
          throw error
        })
        return value
      },
    })
    const first = await open(town, world)
    const sent = first.send('bread', 'white')
    await world.clock.advance(RESERVED + DEADLINE)
    expect(await sent).toBe(502)
    const other = await open(newTown(), world)
    await other.tick()
    expect(await other.brought('bread')).toBe('white by recovery')
    goOn()
    await world.clock.advance(0)
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect([outcomes, await other.brought('bread'), await other.intents()]).toEqual([[502], 'white by recovery', []])
  })

  it('keeps its previous intent if the function passed to saveProgress throws', async () => {
    const no = new KernelError('ERR_INVALID_REQUEST', 'not that')
    const town = newTown({
      go: async ({ name, value }, { saveProgress: advance }) => {
        await advance({ name, value: 'half' }, () => {
          throw no
        }).catch(() => {})
        return value === 'white' ? silent() : value
      },
    })
    const { send, clock, tick } = await open(town, shared())
    const sent = send('bread', 'white')
    await clock.advance(2 * DEADLINE)
    await sent
    await clock.advance(RESERVED)
    await tick()
    expect(town.calls.at(-1)).toBe('recover white')
  })
})

describe('an effect whose perform step reports that the call was possibly applied', () => {
  it('fails with 502, and a tick recovers it after its reservation has ended', async () => {
    const town = newTown({ go: unsettled })
    const { send, brought, clock, tick, intents } = await open(town, shared())
    expect(await send('bread', 'white')).toBe(502)
    expect(town.outcomes).toEqual(['unsure'])
    await clock.advance(RESERVED - 1000)
    await tick()
    expect([town.calls.length, (await intents()).length]).toEqual([1, 1])
    await clock.advance(2000)
    await tick()
    expect([await brought('bread'), await intents()]).toEqual(['white by recovery', []])
  })

  it.each([false, true])('can be resumed or replaced by another request at once (replaces: %s)', async (replaces) => {
    const town = newTown({ go: unsettled })
    const { send, brought, intents } = await open(town, shared())
    expect(await send('bread', 'white')).toBe(502)
    town.go = fair
    await send('bread', 'brown', replaces)
    expect([await brought('bread'), await intents()]).toEqual([replaces ? 'brown by finish' : 'white by recovery', []])
  })
})
