/**
 * An application and a kernel share a pool: transactions of the application that wait for the kernel hold all connections except for those
 * that the storage reserves, and must still complete.
 */
import type { Pool } from 'pg'
import { expect, it } from 'vitest'
import { createKernel, type Kernel, keySeal } from '../../../src/index.ts'
import { describePostgresql, postgresqlBench } from '../../fixtures/postgresql/bench.ts'
import { runs } from '../../fixtures/runs.ts'

const REQUESTS = 40
const ROUNDS = runs({ quick: 1, soak: 3 })

/** A request that waits for a connection until this deadline fails the test by its timeout. */
const DEADLINE_MS = 600_000
const plaintext = new Uint8Array(64)

interface Trial {
  readonly stalenessMs: number
  /** Makes the kernel read the store. */
  prepare(kernel: Kernel): Promise<void>
}

const nothing = async (): Promise<void> => undefined
const TRIALS: Readonly<Record<string, Trial>> = {
  'whose caches have been idle': { stalenessMs: 20, prepare: () => new Promise((resolve) => setTimeout(resolve, 40)) },
  'that may not answer from its caches': { stalenessMs: 0, prepare: nothing },
  'that must reserve encryptions first': {
    stalenessMs: 2000,
    async prepare({ transit }) {
      await transit.rotateKey({ name: 'orders' })
    },
  },
}

describePostgresql('a PostgreSQL pool shared by the application and a kernel', () => {
  const bench = postgresqlBench()

  async function open(pool: Pool, stalenessMs: number): Promise<Kernel> {
    const storage = await bench.open({ pool, timeoutMs: DEADLINE_MS })
    return createKernel({ storage, seal: keySeal(new Uint8Array(32)), initialize: true, cache: { stalenessMs } })
  }

  for (const [name, { stalenessMs, prepare }] of Object.entries(TRIALS))
    it(`serves many concurrent requests of a kernel ${name}`, async () => {
      const pool = await bench.pool({ max: 5 })
      const kernel = await open(pool, stalenessMs)
      await kernel.transit.createKey({ name: 'orders' })
      await pool.query(`CREATE TABLE ${bench.schema}.orders (id text PRIMARY KEY)`)

      const request = async (id: string, encrypts: boolean): Promise<void> => {
        const client = await pool.connect()
        try {
          await client.query('BEGIN')
          const card = encrypts ? (await kernel.transit.encrypt({ name: 'orders', plaintext })).ciphertext : 'none'
          await client.query(`INSERT INTO ${bench.schema}.orders VALUES ($1)`, [id])
          await kernel.kv.writeSecret({ path: `orders/${id}`, data: { card } }, { transaction: client })
          await client.query('COMMIT')
        } catch (error) {
          await client.query('ROLLBACK')
          throw error
        } finally {
          client.release()
        }
      }
      for (let round = 0; round < ROUNDS; round++)
        for (const encrypts of [true, false] as const) {
          await prepare(kernel)
          const requests = Array.from({ length: REQUESTS }, (_, n) => request(`${encrypts}-${round}-${n}`, encrypts))
          const outcomes = await Promise.allSettled(requests)
          expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([])
        }
      const { rows } = await pool.query(`SELECT id FROM ${bench.schema}.orders`)
      expect(rows).toHaveLength(2 * ROUNDS * REQUESTS)
      await expect
        .poll(async () => (await kernel.kv.listSecrets({ path: 'orders/' })).keys.length, { timeout: 60_000 })
        .toBe(rows.length)
      await kernel.close()
    })
})
