/** A destination may return invalid answers. An association becomes SYNCED or UNSYNCED only after a valid one. */
import { describe, expect, it } from 'vitest'
import type { SyncSession } from '../../../src/index.ts'
import { fakeSyncDestination } from '../../../src/testing/index.ts'
import { openWorld } from './world.ts'

type Call = 'put' | 'remove' | 'describe'

/** A fake destination that can return a given answer to one kind of call, without executing it. */
function lyingStore() {
  const store = fakeSyncDestination({ type: 'cloud-a-sm' })
  let lie: { readonly call: Call; readonly answer: unknown } | undefined
  const open: typeof store.open = (config) => {
    const session = store.open(config)
    const lying =
      (call: Call) =>
      async (request: never, signal: AbortSignal): Promise<never> =>
        lie?.call === call ? (lie.answer as never) : (session[call]?.(request, signal) as never)
    return {
      put: lying('put'),
      remove: lying('remove'),
      describe: lying('describe'),
      close: () => session.close(),
    } as SyncSession
  }
  return {
    destination: Object.assign(Object.create(store), { open }) as typeof store,
    lies: (call: Call, answer: unknown) => {
      lie = { call, answer }
    },
    answerCorrectly: () => {
      lie = undefined
    },
  }
}

const ANYTHING = [undefined, null, '', 'ok', 7, true, [], {}, new Map(), () => {}, { ok: true }, [{ created: true }]]

const NONSENSE: Readonly<Record<Call, readonly unknown[]>> = {
  put: [
    ...ANYTHING,
    { created: 'true' },
    { created: 1, externalVersion: 'v1' },
    { externalVersion: 'v1' },
    { created: true, externalVersion: 7 },
    { created: true, externalVersion: null },
    { created: true, externalVersion: '' },
    { created: false, externalVersion: 'v'.repeat(600) },
  ],
  remove: [...ANYTHING, { existed: 'true' }, { existed: 0 }],
  describe: [
    ...ANYTHING,
    { exists: 'false' },
    { exists: true, managed: 'yes' },
    { exists: false, managed: 1 },
    { exists: true, managed: true, foreign: 'no' },
    { exists: true, managed: true, externalVersion: 7 },
  ],
}

const cases = (call: Call) => NONSENSE[call].map((answer, index) => [`${index}`, answer] as const)

describe('an invalid answer of a destination to a put call', () => {
  it.each(cases('put'))('does not make a new secret SYNCED (%s)', async (_, answer) => {
    const { destination, lies, answerCorrectly } = lyingStore()
    const { kernel, write, set, pass, standing } = await openWorld({}, { store: destination })
    await write('a', { n: 1 })
    lies('put', answer)
    expect(await set('a')).toEqual({ a: 'EXTERNAL_SERVICE_ERROR' })
    answerCorrectly()
    await pass(600_000)
    expect([await standing(), destination.values.size]).toEqual([{ a: 'SYNCED' }, 1])
    await kernel.close()
  })

  it.each(cases('put'))('does not make a changed secret SYNCED (%s)', async (_, answer) => {
    const { destination, lies } = lyingStore()
    const { kernel, write, set, settle, standing } = await openWorld({}, { store: destination })
    await write('a', { n: 1 })
    await set('a')
    lies('put', answer)
    await write('a', { n: 2 })
    await settle()
    expect(await standing()).toEqual({ a: 'EXTERNAL_SERVICE_ERROR' })
    await kernel.close()
  })
})

it.each(cases('remove'))(
  'an association is not removed if the answer of the destination to a remove call is invalid (%s)',
  async (_, answer) => {
    const { destination, lies, answerCorrectly } = lyingStore()
    const { kernel, write, set, remove, pass } = await openWorld({}, { store: destination })
    await write('a', { n: 1 })
    await set('a')
    lies('remove', answer)
    expect(await remove('a')).not.toEqual({ a: 'UNSYNCED' })
    answerCorrectly()
    await pass(600_000)
    expect(destination.values.size).toBe(0)
    await kernel.close()
  },
)

it.each(cases('describe'))(
  'a secret is not pushed if the answer of the destination to a describe call is invalid (%s)',
  async (_, answer) => {
    const { destination, lies } = lyingStore()
    const { kernel, write, set } = await openWorld({}, { store: destination })
    await write('a', { n: 1 })
    lies('describe', answer)
    expect(await set('a')).toEqual({ a: 'EXTERNAL_SERVICE_ERROR' })
    expect(destination.values.size).toBe(0)
    await kernel.close()
  },
)
