import { describe, expect, it } from 'vitest'
import { type FakeSyncType, fakeSyncDestination } from '../../../src/testing/index.ts'

/** Ends a call that hangs. */
const soon = () => AbortSignal.timeout(50)
/** Never aborts, for calls that return. */
const live = () => new AbortController().signal
const put = (name: string, value: string, opId = value) => ({ name, value, opId, tags: {}, removeTags: [] })

describe('fakeSyncDestination', () => {
  it('makes calls fail in each supported manner, before or after it applies them', async () => {
    const expected = [
      { manner: 'fails', kind: 'external', there: false },
      { manner: 'throttles', retryAfterMs: 7, kind: 'throttled', there: false },
      { manner: 'conflict', kind: 'conflict', there: false },
      { manner: 'refuses', kind: 'client', there: false },
      { manner: 'hangs', kind: 'external', there: false },
      { manner: 'drops', kind: 'external', there: false },
      { manner: 'drops-after', kind: 'external', there: true },
    ] as const
    for (const { kind, there, ...trouble } of expected) {
      const store = fakeSyncDestination()
      const session = store.open({})
      store.trouble(trouble)
      const retryAfterMs = 'retryAfterMs' in trouble ? trouble.retryAfterMs : undefined
      await expect(session.put(put('a', 'first'), trouble.manner === 'hangs' ? soon() : live())).rejects.toMatchObject({
        kind,
        ...(retryAfterMs && { retryAfterMs }),
      })
      expect(store.values.has('a'), trouble.manner).toBe(there)
      await session.put(put('a', 'first'), live())
      expect(store.values.get('a')).toBe('first')
      expect(store.inFlight).toBe(0)
    }
  })

  it('can start to make calls fail at the n-th call, and stop after a number of calls', async () => {
    const store = fakeSyncDestination()
    const session = store.open({})
    store.trouble({ call: 'put', at: 2, times: 2, manner: 'fails' })
    const takeBack = store.trouble({ manner: new TypeError('words of its own'), at: 2, times: Number.POSITIVE_INFINITY })
    const came: string[] = []
    const ask = async () =>
      came.push(
        await session.put(put('a', 'x'), live()).then(
          () => 'done',
          (error: Error) => error.constructor.name,
        ),
      )
    for (let i = 0; i < 5; i++) await ask()
    takeBack()
    await ask()
    expect(came).toEqual(['done', 'Error', 'Error', 'TypeError', 'TypeError', 'done'])
  })

  it('can ignore the abort signal, and can apply an abandoned call later', async () => {
    const store = fakeSyncDestination()
    const session = store.open({})
    store.trouble({ manner: 'deaf' })
    const pause = new Promise((resolve) => setTimeout(resolve, 100, 'still nothing'))
    expect(await Promise.race([session.put(put('a', 'x'), AbortSignal.timeout(10)), pause])).toBe('still nothing')
    let open = () => {}
    store.trouble({ manner: new Promise<void>((resolve) => (open = resolve)) })
    const late = session.put(put('a', 'old'), AbortSignal.timeout(10))
    await new Promise((resolve) => setTimeout(resolve, 30))
    await session.put(put('a', 'new'), live())
    open()
    await late
    expect(store.history.get('a')).toEqual(['new', 'old'])
    expect(store.mostPerName).toBe(1)
  })

  it('records its calls, and keeps the values of several stores apart', async () => {
    const store = fakeSyncDestination({ type: 'repohost', place: (config) => String(config['repository_name']) })
    const [firstSession, otherSession] = [store.open({ repository_name: 'one' }), store.open({ repository_name: 'other' })]
    await firstSession.put(put('NAME', 'x', 'id'), live())
    await otherSession.put({ ...put('NAME', 'y', 'id'), previous: 'before' }, live())
    await firstSession.remove({ name: 'NAME', opId: 'z' }, live())
    expect([...store.values]).toEqual([['other:NAME', 'y']])
    expect(store.history.get('one:NAME')).toEqual(['x', null])
    expect(store.calls).toEqual([
      { call: 'put', name: 'one:NAME', opId: 'id', value: 'x' },
      { call: 'put', name: 'other:NAME', opId: 'id', value: 'y', previous: 'before' },
      { call: 'remove', name: 'one:NAME', opId: 'z' },
    ])
    store.intrude('name', 'foreign', 'other')
    store.intrude('KEY', 'foreign', 'other')
    store.lose('key', 'other')
    expect([...store.values.values()]).toEqual(['foreign'])
    expect(store.sessions).toBe(2)
    await Promise.all([firstSession.close(), firstSession.close(), otherSession.close()])
    expect(store.sessions).toBe(0)
  })

  it('reports who owns a value if stores of the emulated type can', async () => {
    const managedFlags = async (type: FakeSyncType) => {
      const store = fakeSyncDestination({ type })
      const session = store.open({})
      await session.put({ ...put('OURS', 'x'), tags: { mark: '' } }, live())
      store.intrude('THEIRS', 'y')
      const descriptions = ['OURS', 'THEIRS'].map((name) => session.describe!({ name, mark: 'mark' }, live()))
      return (await Promise.all(descriptions)).map(({ managed }) => managed)
    }
    expect(await managedFlags('cloud-b-kv')).toEqual([true, false])
    expect(await managedFlags('webhost-project')).toEqual([true, false])
    expect(await managedFlags('repohost')).toEqual([undefined, undefined])
  })

  it('refuses names, values and repeated ids that the emulated store would refuse', async () => {
    const store = fakeSyncDestination({ type: 'repohost', rules: { maxValueBytes: 3 } })
    const session = store.open({})
    for (const request of [put('lower', 'x'), put('', 'x'), put('N'.repeat(300), 'x'), put('NAME', 'four')])
      await expect(session.put(request, live())).rejects.toMatchObject({ kind: 'client' })
    await session.put(put('NAME', 'one', 'id'), live())
    // A store that recognizes a write by its id accepts no other value under the same id.
    await expect(session.put(put('NAME', 'two', 'id'), live())).rejects.toMatchObject({ kind: 'client', code: 'opId' })
    expect(store.validate({ access_token: 'FAIL', other: 7 })).toMatchObject([{ field: 'access_token' }])
  })
})
