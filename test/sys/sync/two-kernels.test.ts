/** Two kernels on one PostgreSQL, each with connections of its own. */
import type { Pool } from 'pg'
import { expect, it } from 'vitest'
import { postgresqlStorage } from '../../../src/adapters/storage-postgresql/index.ts'
import { createKernel, keySeal } from '../../../src/index.ts'
import { freshSchema, openPool, postgresqlMissing } from '../../fixtures/postgresql/server.ts'
import { openWorld, worldOf } from './world.ts'

const SECRETS = Array.from({ length: 12 }, (_, n) => `s${n}`)
const seal = keySeal(new Uint8Array(32).fill(3))

async function onPostgresql(work: (pools: readonly [Pool, Pool], schema: string) => Promise<void>): Promise<void> {
  const pools = [await openPool(), await openPool()] as const
  const schema = freshSchema()
  try {
    await work(pools, schema)
  } finally {
    await pools[0].query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    for (const pool of pools) await pool.end()
  }
}

async function openTwo([one, other]: readonly [Pool, Pool], schema: string) {
  const storages = [postgresqlStorage({ pool: one, schema }), postgresqlStorage({ pool: other, schema })] as const
  const first = await openWorld({ storage: storages[0], seal })
  const { clock, store } = first
  const second = await createKernel({ storage: storages[1], clock, seal, ports: { sync: { 'cloud-a-sm': store } } })
  const kernels = [first.kernel, second] as const
  /** Both at once, until neither finds anything due. */
  const tick = async (): Promise<void> => {
    for (let round = 0, idle = false; !idle; round++) {
      expect(round).toBeLessThan(50)
      await clock.advance(1000)
      const results = await Promise.all(kernels.map((kernel) => kernel.tick()))
      expect(results.flatMap(({ failed }) => failed)).toEqual([])
      idle = results.every(({ done, more }) => done === 0 && !more)
    }
  }
  const close = async (): Promise<void> => {
    for (const kernel of kernels) await kernel.close()
    for (const storage of storages) await storage.close()
  }
  return { first, second: worldOf(second), kernels, store, tick, close }
}

it.skipIf(postgresqlMissing !== undefined)(
  `two kernels on one PostgreSQL push a change once${postgresqlMissing === undefined ? '' : `: ${postgresqlMissing}`}`,
  () =>
    onPostgresql(async (pools, schema) => {
      const { first, second, kernels, store, tick, close } = await openTwo(pools, schema)
      const told: string[] = []
      for (const kernel of kernels) kernel.events.on('sync.synced', ({ secret_name }) => void told.push(secret_name))
      const turns = [first, second] as const
      const inTurn = (at: number) => turns[at % 2] as (typeof turns)[number]
      for (const path of SECRETS) await first.write(path, { n: 0 })
      await Promise.all(SECRETS.map((path, at) => inTurn(at).set(path)))
      await tick()
      for (let n = 1; n <= 2; n++) {
        // Whoever wrote it, both find it due.
        await Promise.all(SECRETS.map((path, at) => inTurn(at + n).write(path, { n })))
        told.length = 0
        await tick()
        expect(Object.fromEntries(store.values)).toEqual(Object.fromEntries(SECRETS.map((path) => [`p/${path}`, `{"n":${n}}`])))
        expect(told.toSorted()).toEqual(SECRETS.toSorted())
      }
      const puts = store.calls.filter(({ call }) => call === 'put').map(({ name, value }) => `${name} ${value}`)
      expect(puts.toSorted()).toEqual(SECRETS.flatMap((path) => [0, 1, 2].map((n) => `p/${path} {"n":${n}}`)).toSorted())
      expect(store.mostPerName).toBe(1)
      await Promise.all(SECRETS.map((path, at) => inTurn(at).remove(path)))
      await tick()
      expect([store.values.size, store.calls.filter(({ call }) => call === 'remove').length]).toEqual([0, SECRETS.length])
      expect([await first.standing(), await second.standing()]).toEqual([{}, {}])
      await close()
    }),
)
