/** Work outside of the store, by an engine that does nothing else. */
import { describe, expect, it } from 'vitest'
import { createKernel } from '../../../src/chosen-kernel.ts'
import { KernelError } from '../../../src/core/base/errors.ts'
import type { Api } from '../../../src/core/contract/api.ts'
import { dropIntent, effect, NothingDone, type Outside, type Prepared, type Refused } from '../../../src/core/contract/effect.ts'
import { type EngineValue, engineValue } from '../../../src/core/contract/engine.ts'
import { effectOperation, operation } from '../../../src/core/contract/operation.ts'
import { jsonRecord } from '../../../src/core/contract/record-kind.ts'
import { f } from '../../../src/core/field/fields.ts'
import { keySeal, memoryStorage, type Storage } from '../../../src/index.ts'
import { type FakeClock, fakeClock } from '../../../src/testing/index.ts'
import { driven } from '../../fault/hanging-world.ts'

const DEADLINE = 15_000
/** What others wait before they take up what somebody began: the life of a claim, and a deadline. */
const RESERVED = 30_000 + DEADLINE
const SEAL = keySeal(new Uint8Array(32).fill(9))

interface Errand {
  readonly name: string
  readonly value: string
}

/** Where errands go, and how that ends. */
interface Town {
  /** What was asked, in order. */
  readonly asked: string[]
  /** Told of the end of errands: `refused 1 sure`, `unsure`. */
  readonly told: string[]
  go: (errand: Errand, outside: Outside) => Promise<string>
  recover: (errand: Errand, outside: Outside) => Promise<string>
  finish: () => void
  refused: (() => 'again' | undefined) | undefined
  timeoutMs: number | undefined
}

const fair = async ({ value }: Errand): Promise<string> => value

const newTown = (more: Partial<Town> = {}): Town => ({
  asked: [],
  told: [],
  go: fair,
  recover: fair,
  finish: () => {},
  refused: undefined,
  timeoutMs: undefined,
  ...more,
})

const refusal = (): NothingDone => new NothingDone(new KernelError('ERR_UPSTREAM', 'the town says no'))
const silent = (): Promise<never> => new Promise(() => {})

const BROUGHT = jsonRecord<{ readonly value: string; readonly by: 'finish' | 'recovery' }>({ folder: 'brought' })

function errands(town: Town) {
  const { refused } = town
  const run = effect({
    name: 'errand',
    ...(town.timeoutMs !== undefined && { timeoutMs: town.timeoutMs }),
    perform(errand: Errand, outside, carried: string) {
      town.asked.push(`go ${errand.value} with ${carried}`)
      return town.go(errand, outside)
    },
    finish(tx, { name }, value: string) {
      town.finish()
      tx.put(BROUGHT, name, { value, by: 'finish' })
      return { value }
    },
    ...(refused && {
      refused: (_: unknown, __: Errand, ___: KernelError, { attempts, doubtful }: Refused) => {
        town.told.push(`refused ${attempts} ${doubtful ? 'in doubt' : 'surely'}`)
        return refused()
      },
    }),
    unsure: () => void town.told.push('unsure'),
    recover: {
      perform(errand: Errand, outside) {
        town.asked.push(`recover ${errand.value}`)
        return town.recover(errand, outside)
      },
      finish: (tx, { name }, value: string) => tx.put(BROUGHT, name, { value, by: 'recovery' }),
    },
  })
  const prepared = (name: string, value: string, leftover: 'resume' | 'replace'): Prepared<Errand, string> => ({
    id: name,
    intent: { name, value },
    carried: 'a basket',
    leftover,
  })
  const send = effectOperation({
    verb: 'POST',
    path: '/errands/:name',
    summary: 'Sends somebody.',
    fields: { name: f.name('Which.'), value: f.text('What for.'), replaces: f.bool('Instead of one before.').default(false) },
    returns: { value: f.text('What came of it.') },
    effect: run,
    prepare: (_, { name, value, replaces }) => prepared(name, value, replaces ? 'replace' : 'resume'),
  })
  const drop = operation({
    kind: 'write',
    verb: 'DELETE',
    path: '/errands/:name',
    summary: 'Nobody needs it any more.',
    fields: { name: f.name('Which.') },
    returns: {},
    run: (tx, { name }) => {
      dropIntent(tx, run, name)
      return undefined
    },
  })
  const schedule = operation({
    kind: 'write',
    verb: 'POST',
    path: '/due/:name',
    summary: 'Sends somebody as soon as there is a tick.',
    fields: { name: f.name('Which.') },
    returns: {},
    run: (tx, { name }) => {
      tx.due('credential', name, { to: tx.now })
      return undefined
    },
  })
  const read = operation({
    kind: 'read',
    verb: 'GET',
    path: '/errands/:name',
    summary: 'What was brought.',
    fields: { name: f.name('Which.') },
    returns: { value: f.text('What.'), by: f.text('By whom.') },
    run: (tx, { name }) => tx.get(BROUGHT, name),
  })
  const operations = { send, drop, schedule, read }
  const due = { credential: { effect: run, prepare: (_: unknown, name: string) => prepared(name, 'due', 'resume') } }
  return { operations, due, effects: [run] }
}

type Errands = { errands: Api<ReturnType<typeof errands>['operations']> }

const engine = (town: Town): EngineValue<Errands> => {
  const parts = errands(town)
  return engineValue<Errands>({
    type: 'errands',
    mounts: 'secret',
    ...parts,
    fresh: [{ path: 'errands/', description: '' }],
    facades: { errands: { path: 'errands/', operations: parts.operations } },
  })
}

interface Shared {
  readonly storage: Storage
  readonly clock: FakeClock
}

const shared = (): Shared => ({ storage: memoryStorage(), clock: fakeClock() })

const open = async (town: Town, { storage, clock }: Shared) => {
  const kernel = await createKernel({ engines: [engine(town)], storage, clock, seal: SEAL, initialize: true })
  const { errands } = kernel
  return {
    kernel,
    storage,
    clock,
    errands,
    /** Its status, or what was brought. */
    send: (name: string, value: string, replaces = false): Promise<string | number> =>
      errands.send({ name, value, replaces }).then(
        (done) => done?.value ?? 'nothing',
        (error: KernelError) => error.status,
      ),
    tick: async () => (await driven(clock, kernel.tick())).value,
    brought: async (name: string) => {
      const found = await errands.read({ name }).catch(() => undefined)
      return found && `${found.value} by ${found.by}`
    },
    intents: async () => (await storage.list('l/')).filter((name) => name.includes('/intent/') && !name.startsWith('due/')),
  }
}

describe('an effect', () => {
  it('is prepared, performed and finished, and leaves nothing behind', async () => {
    const town = newTown()
    const { send, brought, intents, tick } = await open(town, shared())
    expect(await send('bread', 'white')).toBe('white')
    expect([town.asked, await brought('bread'), await intents()]).toEqual([['go white with a basket'], 'white by finish', []])
    expect(await tick()).toMatchObject({ done: 0, nextDueAt: undefined })
  })

  it('is stored before anybody is asked, without what it carries, and sealed', async () => {
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

  it('is refused to whoever asks for the same meanwhile, and nobody else', async () => {
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

  it('is never performed twice at a time, however many ask for it at once', async () => {
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
    expect(answers.filter((answer) => answer !== 503).length).toBe(town.asked.length)
  })
})

describe('an effect that is refused', () => {
  it('leaves nothing, and the refusal is the answer', async () => {
    const town = newTown({ go: () => Promise.reject(refusal()) })
    const { errands, intents, brought, tick } = await open(town, shared())
    await expect(errands.send({ name: 'bread', value: 'white' })).rejects.toMatchObject({
      status: 502,
      message: 'the town says no',
    })
    expect([await intents(), await brought('bread')]).toEqual([[], undefined])
    expect((await tick()).done).toBe(0)
  })

  it('stays where it says so, and is recovered ten seconds later, then twice as long each time', async () => {
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
      expect(town.asked.length).toBe(attempts + 1)
      wait *= 2
    }
    expect(town.told.slice(0, 3)).toEqual(['refused 1 surely', 'refused 2 in doubt', 'refused 3 in doubt'])
  })

  it('is recovered for ever where it says nothing about that', async () => {
    const town = newTown({ go: silent, recover: () => Promise.reject(refusal()) })
    const { send, clock, tick, intents, brought } = await open(town, shared())
    expect((await driven(clock, send('bread', 'white'))).value).toBe(502)
    for (let hour = 0; hour < 20; hour++) {
      await clock.advance(3_600_000)
      await tick()
    }
    expect([town.asked.length, (await intents()).length]).toEqual([21, 1])
    town.recover = fair
    await clock.advance(3_600_000)
    expect((await tick()).failed).toEqual([])
    expect([await brought('bread'), await intents()]).toEqual(['white by recovery', []])
  })

  it('tells that it is in doubt where it took the place of one whose end nobody knows, also behind the death of a process', async () => {
    const town = newTown({ go: silent, refused: () => undefined })
    const { send, clock, intents } = await open(town, shared())
    await driven(clock, send('bread', 'white'))
    await clock.advance(RESERVED)
    town.go = () => Promise.reject(refusal())
    expect(await send('bread', 'brown', true)).toBe(502)
    expect(town.told).toEqual(['unsure', 'refused 1 in doubt'])
    expect(await intents()).toEqual([])
  })
})

describe('an effect that is left over', () => {
  /** One that got no answer, with its time over. */
  async function leftOver(more: Partial<Town> = {}) {
    const town = newTown({ go: silent, ...more })
    const house = await open(town, shared())
    expect((await driven(house.clock, house.send('bread', 'white'))).value).toBe(502)
    expect(town.told).toEqual(['unsure'])
    return { town, ...house }
  }

  it('is nobody’s until a claim and a deadline have passed, and is recovered by a tick then', async () => {
    const { town, clock, tick, send, brought } = await leftOver()
    await clock.advance(RESERVED - DEADLINE - 1001)
    expect(await tick()).toMatchObject({ done: 0 })
    expect(await send('bread', 'brown')).toBe(503)
    await clock.advance(2000)
    expect(await tick()).toMatchObject({ done: 1, failed: [] })
    expect([town.asked.at(-1), await brought('bread')]).toEqual(['recover white', 'white by recovery'])
  })

  it('is what the next one comes to that resumes', async () => {
    const { town, clock, send, brought, intents } = await leftOver()
    await clock.advance(RESERVED)
    expect(await send('bread', 'brown')).toBe('nothing')
    expect([town.asked.at(-1), await brought('bread'), await intents()]).toEqual(['recover white', 'white by recovery', []])
  })

  it('gives way to the next one that replaces it', async () => {
    const { town, clock, send, tick, brought, intents } = await leftOver()
    await clock.advance(RESERVED)
    town.go = fair
    expect(await send('bread', 'brown', true)).toBe('brown')
    expect([await brought('bread'), await intents()]).toEqual(['brown by finish', []])
    expect((await tick()).done).toBe(0)
  })

  it('is gone when it is dropped, before as after its time', async () => {
    const { clock, errands, tick, intents } = await leftOver()
    await errands.drop({ name: 'bread' })
    await errands.drop({ name: 'bread' })
    expect(await intents()).toEqual([])
    await clock.advance(RESERVED)
    expect(await tick()).toMatchObject({ done: 0, nextDueAt: undefined })
  })

  it('waits where the kernel does not have the effect, for one that has', async () => {
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
    expect(town.asked.length).toBe(1)
    const newer = await open(town, { storage, clock })
    await clock.advance(3_600_000)
    expect((await newer.tick()).failed).toEqual([])
    expect(await newer.brought('bread')).toBe('white by recovery')
  })

  it('is recovered once by two kernels that tick', async () => {
    const { town, storage, clock, tick } = await leftOver()
    const other = await open(town, { storage, clock })
    await clock.advance(RESERVED)
    await Promise.all([tick(), other.kernel.tick()])
    expect(town.asked.filter((asked) => asked.startsWith('recover')).length).toBe(1)
  })
})

describe('a finish that refuses', () => {
  const refusing = (code: 'ERR_PERMISSION_DENIED' | 'ERR_UNAVAILABLE') => () => {
    throw new KernelError(code, 'not any more')
  }

  it('has the work taken back at once', async () => {
    const town = newTown({ finish: refusing('ERR_PERMISSION_DENIED') })
    const { send, brought, intents } = await open(town, shared())
    expect(await send('bread', 'white')).toBe(403)
    expect(town.asked).toEqual(['go white with a basket', 'recover white'])
    expect([await brought('bread'), await intents()]).toEqual(['white by recovery', []])
  })

  it('has it taken back by a tick where that fails', async () => {
    const town = newTown({ finish: refusing('ERR_PERMISSION_DENIED'), recover: () => Promise.reject(refusal()) })
    const { send, clock, tick, brought, intents } = await open(town, shared())
    expect(await send('bread', 'white')).toBe(403)
    expect((await intents()).length).toBe(1)
    town.recover = fair
    await clock.advance(10_000)
    expect(await tick()).toMatchObject({ done: 1, failed: [] })
    expect([await brought('bread'), await intents()]).toEqual(['white by recovery', []])
  })

  it('that is about the kernel leaves it to a tick', async () => {
    const town = newTown({ finish: refusing('ERR_UNAVAILABLE') })
    const { send, clock, tick, intents } = await open(town, shared())
    expect(await send('bread', 'white')).toBe(503)
    expect([town.asked.length, (await intents()).length]).toEqual([1, 1])
    await clock.advance(RESERVED)
    expect(await tick()).toMatchObject({ done: 1, failed: [] })
    expect(await intents()).toEqual([])
  })
})

describe('a perform', () => {
  it('that heeds no signal is given up at the deadline, and what comes of it later changes nothing', async () => {
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
  ])('has the %s time that its effect declares, by its signal', async (_, timeoutMs) => {
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
    // It is waited for by the longer of the two.
    const reserved = 30_000 + Math.max(timeoutMs, DEADLINE)
    await clock.advance(reserved - timeoutMs - 2000)
    expect((await tick()).done).toBe(0)
    await clock.advance(3000)
    expect((await tick()).done).toBe(1)
  })

  it('is ended by close, within a deadline where it heeds nothing', async () => {
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

  it('that throws what is no refusal tells nothing of its words', async () => {
    const town = newTown({ go: () => Promise.reject(new Error('hunter2')) })
    const { errands } = await open(town, shared())
    const error: KernelError = await errands.send({ name: 'bread', value: 'white' }).then(
      () => expect.unreachable(),
      (thrown) => thrown,
    )
    expect([error.status, error.message.includes('hunter2')]).toEqual([502, false])
  })

  it('reads the records of its mount as they are', async () => {
    const town = newTown()
    const { send } = await open(town, shared())
    await send('bread', 'white')
    town.go = async ({ name }, { look }) => (await look((tx) => tx.get(BROUGHT, name)))?.value ?? 'nothing'
    expect(await send('bread', 'brown')).toBe('white')
  })
})

describe('an effect that is due', () => {
  it('is performed by a tick, once', async () => {
    const town = newTown()
    const { errands, tick, brought, intents } = await open(town, shared())
    await errands.schedule({ name: 'bread' })
    expect(await tick()).toMatchObject({ done: 1, failed: [] })
    expect([town.asked.length, await brought('bread'), await intents()]).toEqual([1, 'due by finish', []])
    expect((await tick()).done).toBe(0)
  })

  it('that fails is told as failed and goes on as an intent', async () => {
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
