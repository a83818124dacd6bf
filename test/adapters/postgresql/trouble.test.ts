/** The PostgreSQL storage with failing servers and connections. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { type Change, OutcomeUnknown, type Storage } from '../../../src/index.ts'
import { append, describePostgresql, postgresqlBench, put, textAt } from '../../fixtures/postgresql/bench.ts'
import { connectionLost, serverSays, type Trouble, troubledPool } from '../../fixtures/postgresql/troubled-pool.ts'
import { untilReached } from '../../fixtures/until-reached.ts'

const LOOK = /FOR UPDATE/
const WRITE = /COMMIT$/

/** The log contains every record once, in the order of the reported indexes. */
async function assertLog(storage: Storage, appended: readonly (readonly [text: string, index: number])[]): Promise<void> {
  const entries = await storage.scan('log/')
  const byIndex = appended.toSorted((a, b) => a[1] - b[1]).map(([text]) => text)
  expect(entries.map((entry) => Buffer.from(entry.value).toString())).toEqual(byIndex)
}

async function appendAll(storage: Storage, texts: readonly string[]): Promise<(readonly [string, number])[]> {
  return Promise.all(
    texts.map(async (text) => {
      const verdict = await storage.commit([append('log', text), put(`by/${text}`, text, 0)], `id ${text}`)
      return [text, verdict.ok ? verdict.appended[0]! : -1] as const
    }),
  )
}

/** On a busy machine a short deadline may expire although the server answers. */
const retryUntilAnswered = <T>(call: () => Promise<T>): Promise<T> => vi.waitFor(call, { timeout: 60_000, interval: 5 })

const names = (from: number, count: number): string[] => Array.from({ length: count }, (_, i) => `${from + i}`)

describePostgresql('PostgreSQL storage', () => {
  const bench = postgresqlBench()

  it('neither loses nor repeats a commit while the server keeps ending its connections', async () => {
    const storage = await bench.open()
    const admin = await bench.pool()
    await storage.revision()
    const own = `pid <> pg_backend_pid() AND backend_type = 'client backend' AND query LIKE '%${bench.schema}%'`
    let working = true
    let ended = 0
    const ending = (async () => {
      while (working) {
        const { rowCount } = await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${own}`)
        ended += rowCount ?? 0
        await sleep(15)
      }
    })()
    const appended: (readonly [string, number])[] = []
    let rounds = 0
    for (; rounds < 20 || ended <= 10; rounds++) appended.push(...(await appendAll(storage, names(rounds * 50, 50))))
    working = false
    await ending
    await assertLog(storage, appended)
    expect(await storage.revision(true)).toBe(rounds * 50)
  })

  const LOST: Readonly<Record<string, readonly Trouble[]>> = {
    'before its read': [{ at: LOOK, meet: async () => Promise.reject(connectionLost()) }],
    'after its read': [{ at: LOOK, meet: async (go) => go().then(() => Promise.reject(connectionLost())) }],
    'before its write': [{ at: WRITE, meet: async () => Promise.reject(connectionLost()) }],
    'after its write': [{ at: WRITE, meet: async (go) => go().then(() => Promise.reject(connectionLost())) }],
    'after its write, twice': [{ at: WRITE, times: 2, meet: async (go) => go().then(() => Promise.reject(connectionLost())) }],
    'with a serialization failure': [{ at: WRITE, times: 3, meet: async () => Promise.reject(serverSays('40001')) }],
    'with a deadlock': [{ at: LOOK, times: 3, meet: async () => Promise.reject(serverSays('40P01')) }],
    'with an unknown completion status': [
      { at: WRITE, meet: async (go) => go().then(() => Promise.reject(serverSays('40003'))) },
    ],
  }
  it.each(Object.keys(LOST))('applies a commit exactly once if an attempt fails %s', async (when) => {
    let pool: { readonly met: number } | undefined
    const storage = await bench.open({}, (real) => {
      const troubled = troubledPool(real, LOST[when]!)
      pool = troubled
      return troubled
    })
    await assertLog(storage, await appendAll(storage, names(0, 10)))
    expect(pool?.met).toBe(LOST[when]!.reduce((sum, { times = 1 }) => sum + times, 0))
    expect(await storage.revision()).toBe(10)
  })

  it('reports an unknown outcome if the connection is lost after a write, and a repeated commit returns the verdict', async () => {
    // Otherwise the first call would have to create the table within its deadline as well.
    await (await bench.open()).revision()
    await untilReached(async (timeoutMs) => {
      const commit = (to: Storage) => to.commit([append(`log${timeoutMs}`, 'x')], `once ${timeoutMs}`)
      let hasWritten = false
      let away = false
      const storage = await bench.open({ timeoutMs }, (real) => {
        const troubled = troubledPool(real, [
          {
            at: WRITE,
            async meet(go) {
              await go()
              hasWritten = away = true
              throw connectionLost()
            },
          },
        ])
        return { ...troubled, connect: () => (away ? Promise.reject(connectionLost()) : troubled.connect()) }
      })
      const error: unknown = await commit(storage).catch((thrown: unknown) => thrown)
      if (!hasWritten) return false
      expect(error).toBeInstanceOf(OutcomeUnknown)
      away = false
      expect(await retryUntilAnswered(() => commit(storage))).toEqual({ ok: true, revision: expect.any(Number), appended: [1] })
      expect(await retryUntilAnswered(() => storage.list(`log${timeoutMs}/`))).toHaveLength(1)
      return true
    })
  })

  it('rejects with the error of the connection if it cannot connect at all', async () => {
    const storage = await bench.open({ timeoutMs: 300 }, (real) => ({
      ...troubledPool(real, []),
      connect: () => Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })),
    }))
    const calls = [storage.commit([put('a', 'x')], 'a'), storage.get('a'), storage.revision(), storage.watch('', 0, () => {})]
    for (const { status, reason } of (await Promise.allSettled(calls)) as PromiseRejectedResult[]) {
      const error = reason as Error
      expect(status).toBe('rejected')
      expect(error).not.toBeInstanceOf(OutcomeUnknown)
      expect(error.message).toContain('ECONNREFUSED')
    }
  })

  it('ends a call at its deadline if no connection is free or the server does not answer', async () => {
    const pool = await bench.pool({ max: 2 })
    const clients = await Promise.all([pool.connect(), pool.connect()])
    const starved = await bench.open({ timeoutMs: 200, pool })
    await expect(starved.get('a')).rejects.toThrow('the pool is too small')
    await expect(starved.commit([put('a', 'x')], 'a')).rejects.toThrow('the pool is too small')
    for (const client of clients) client.release()
    expect(await retryUntilAnswered(() => starved.get('a'))).toBeUndefined()

    await untilReached(async (timeoutMs) => {
      let wasQueried = false
      const meet = () => {
        wasQueried = true
        return new Promise(() => undefined)
      }
      const silent = await bench.open({ timeoutMs }, (real) => troubledPool(real, [{ at: /SELECT/, times: 1000, meet }]))
      const error: unknown = await silent.get('a').catch((thrown: unknown) => thrown)
      if (wasQueried) expect(error).toHaveProperty('message', expect.stringContaining('did not answer in time'))
      return wasQueried
    })
  })

  it('rejects only the commit that the server refuses, not the other commits in the same transaction', async () => {
    const poison = Buffer.from('poison').toString('hex')
    const storage = await bench.open({}, (real) =>
      troubledPool(real, [
        { at: new RegExp(`INSERT.*${poison}`, 's'), times: 100, meet: () => Promise.reject(serverSays('54000')) },
      ]),
    )
    await storage.revision()
    const texts = ['a', 'b', 'poison', 'c']
    const outcomes = await Promise.allSettled(texts.map((text) => storage.commit([append('log', text)], text)))
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
    expect((await storage.scan('log/')).map((entry) => Buffer.from(entry.value).toString()).sort()).toEqual(['a', 'b', 'c'])
  })

  it('does not wait long for a process that stops in the middle of a commit', async () => {
    let wake = (): void => undefined
    const asleep = new Promise<void>((resolve) => {
      wake = resolve
    })
    let holding = (): void => undefined
    const holds = new Promise<void>((resolve) => {
      holding = resolve
    })
    const meet: Trouble['meet'] = async (go) => {
      const answer = await go()
      holding()
      await asleep
      return answer
    }
    const [sleeper, otherStorage] = [
      await bench.open({ timeoutMs: 30_000 }, (real) => troubledPool(real, [{ at: LOOK, meet }])),
      await bench.open({ timeoutMs: 30_000 }),
    ]
    const late = sleeper.commit([put('a', 'late', 0)], 'late')
    await holds
    // The paused process resumes only after this commit.
    expect((await otherStorage.commit([put('a', 'early', 0)], 'early')).ok).toBe(true)
    wake()
    expect(await late).toEqual({ ok: false, conflict: 'a', version: 1 })
    expect(await textAt(sleeper, 'a')).toBe('early')
  })

  it('delivers every change to a watcher whose listening connection is lost during writes', async () => {
    // Other test files may use the same server at the same time.
    const watched = await bench.pool({ application_name: bench.schema })
    const [watcher, writer] = [await bench.open({}, () => watched), await bench.open()]
    const admin = await bench.pool()
    const changes: Change[] = []
    const stop = await watcher.watch('log/', 0, (change) => changes.push(change))
    let lost = 0
    for (let round = 0; round < 10 || lost <= 5; round++) {
      await appendAll(writer, names(round * 10, 5))
      const { rows } = await admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT 1' AND application_name = '${bench.schema}'`,
      )
      lost += rows.length
      await appendAll(writer, names(round * 10 + 5, 5))
      await expect.poll(() => changes.at(-1)?.revision, { timeout: 60_000, interval: 5 }).toBe((round + 1) * 10)
    }
    expect(changes.flatMap(({ keys }) => keys)).toEqual(
      await watcher
        .list('')
        .then(() => watcher.scan('log/'))
        .then((all) => all.map(({ key }) => key)),
    )
    await stop()
  })
})
