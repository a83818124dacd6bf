import { describe, expect, it } from 'vitest'
import { KernelError } from '../../../src/core/base/errors.ts'
import { driven } from '../../fault/hanging-world.ts'
import { BROUGHT, DEADLINE, fair, newTown, open, RESERVED, refusal, shared, silent } from '../../fixtures/errands.ts'

describe('an effect whose finish step refuses', () => {
  const refusing = (code: 'ERR_PERMISSION_DENIED' | 'ERR_UNAVAILABLE') => () => {
    throw new KernelError(code, 'not any more')
  }

  it('is recovered before the request fails', async () => {
    const town = newTown({ finish: refusing('ERR_PERMISSION_DENIED') })
    const { send, brought, intents } = await open(town, shared())
    expect(await send('bread', 'white')).toBe(403)
    expect(town.calls).toEqual(['go white with a basket', 'recover white'])
    expect([await brought('bread'), await intents()]).toEqual(['white by recovery', []])
  })

  it('is recovered by a later tick if the recovery in the request fails', async () => {
    const town = newTown({ finish: refusing('ERR_PERMISSION_DENIED'), recover: () => Promise.reject(refusal()) })
    const { send, clock, tick, brought, intents } = await open(town, shared())
    expect(await send('bread', 'white')).toBe(403)
    expect((await intents()).length).toBe(1)
    town.recover = fair
    await clock.advance(10_000)
    expect(await tick()).toMatchObject({ done: 1, failed: [] })
    expect([await brought('bread'), await intents()]).toEqual(['white by recovery', []])
  })

  it('keeps its intent for a later tick if the refusal is a 503 of the kernel', async () => {
    const town = newTown({ finish: refusing('ERR_UNAVAILABLE') })
    const { send, clock, tick, intents } = await open(town, shared())
    expect(await send('bread', 'white')).toBe(503)
    expect([town.calls.length, (await intents()).length]).toEqual([1, 1])
    await clock.advance(RESERVED)
    expect(await tick()).toMatchObject({ done: 1, failed: [] })
    expect(await intents()).toEqual([])
  })
})

describe('the perform step of an effect', () => {
  it('fails at the deadline if it ignores its signal, and a late result changes nothing', async () => {
    let late = (_: string): void => {}
    const town = newTown({ go: () => new Promise((resolve) => (late = resolve)) })
    const { send, clock, brought, intents } = await open(town, shared())
    const { value, took } = await driven(clock, send('bread', 'white'))
    expect([value, took]).toEqual([502, DEADLINE])
    late('white')
    await clock.advance(1000)
    expect([await brought('bread'), (await intents()).length]).toEqual([undefined, 1])
  })

  it.each([
    ['shorter', 2000],
    ['longer', 60_000],
  ])('is aborted after the %s timeout that its effect declares', async (_, timeoutMs) => {
    let aborted = false
    const town = newTown({
      timeoutMs,
      go: (__, { signal }) =>
        new Promise((___, reject) => {
          signal.addEventListener('abort', () => {
            aborted = true
            reject(signal.reason)
          })
        }),
    })
    const { send, clock, tick } = await open(town, shared())
    const { value, took } = await driven(clock, send('bread', 'white'))
    expect([value, took, aborted]).toEqual([502, timeoutMs, true])
    // The reservation lasts 30 seconds plus the longer of the effect's timeout and the kernel's deadline.
    const reserved = 30_000 + Math.max(timeoutMs, DEADLINE)
    await clock.advance(reserved - timeoutMs - 2000)
    expect((await tick()).done).toBe(0)
    await clock.advance(3000)
    expect((await tick()).done).toBe(1)
  })

  it('delays the close of the kernel by at most one deadline if it ignores its signal', async () => {
    const town = newTown({ go: silent })
    const { send, clock, kernel, storage } = await open(town, shared())
    const sending = send('bread', 'white')
    await clock.advance(0)
    const { took } = await driven(clock, kernel.close())
    expect(took).toBeLessThanOrEqual(DEADLINE)
    await sending
    const next = await open(town, { storage, clock })
    await clock.advance(RESERVED)
    await next.tick()
    expect(await next.brought('bread')).toBe('white by recovery')
  })

  it('fails without the message of an unexpected error', async () => {
    const town = newTown({ go: () => Promise.reject(new Error('hunter2')) })
    const { errands } = await open(town, shared())
    const error: KernelError = await errands.send({ name: 'bread', value: 'white' }).then(
      () => expect.unreachable(),
      (thrown) => thrown,
    )
    expect([error.status, error.message.includes('hunter2')]).toEqual([502, false])
  })

  it('can read the current records of its mount', async () => {
    const town = newTown()
    const { send } = await open(town, shared())
    await send('bread', 'white')
    town.go = async ({ name }, { read: look }) => (await look((tx) => tx.get(BROUGHT, name)))?.value ?? 'nothing'
    expect(await send('bread', 'brown')).toBe('white')
  })
})

describe('a scheduled effect', () => {
  it('is performed once by a tick', async () => {
    const town = newTown()
    const { errands, tick, brought, intents } = await open(town, shared())
    await errands.schedule({ name: 'bread' })
    expect(await tick()).toMatchObject({ done: 1, failed: [] })
    expect([town.calls.length, await brought('bread'), await intents()]).toEqual([1, 'due by finish', []])
    expect((await tick()).done).toBe(0)
  })

  it('is reported in `failed` of the tick if it fails, and is recovered by a later tick', async () => {
    const town = newTown({ go: () => Promise.reject(new Error('hunter2')) })
    const { errands, clock, tick, brought } = await open(town, shared())
    await errands.schedule({ name: 'bread' })
    const { failed } = await tick()
    expect(failed).toMatchObject([{ lane: 'credential', id: 'bread' }])
    expect(failed[0]?.error.message).not.toContain('hunter2')
    await clock.advance(RESERVED)
    expect(await tick()).toMatchObject({ done: 1, failed: [] })
    expect(await brought('bread')).toBe('due by recovery')
  })
})
