/**
 * Writes that survive a crash, on the PostgreSQL that DATABASE_URL names; without it nothing is measured. `storage` is the adapter's commit
 * of one record; `bare` a transaction of the driver that writes one row, `counted` one that also counts the commit in a row of its own, as any
 * store with revisions has to: what each caller would do for himself.
 */
import { Pool } from 'pg'
import { postgresqlStorage } from 'strongroom/storage/postgresql'
import { IN_FLIGHT, oneByOne, together } from '../in-flight.mjs'
import { measure } from '../measure.mjs'
import { microseconds, ratio, table, target } from '../report.mjs'

const VALUE = Buffer.alloc(400, 1)

export const title = 'Durable writes on PostgreSQL'

export async function run() {
  const connectionString = process.env.DATABASE_URL
  if (!connectionString) return { targets: [], text: 'Not measured: `DATABASE_URL` was not given.' }
  const schema = `strongroom_bench_${process.pid}`
  const pool = new Pool({ connectionString, max: 10 })
  const storage = postgresqlStorage({ pool, schema })
  try {
    await storage.commit([{ op: 'put', key: 'first', value: VALUE }], 'first')
    await pool.query(`CREATE TABLE ${schema}.bare (k text PRIMARY KEY, v bytea, n bigint)`)
    await pool.query(`INSERT INTO ${schema}.bare VALUES ('head', '', 0)`)
    let at = 0
    const within = async (work) => {
      const client = await pool.connect()
      try {
        await client.query('BEGIN')
        await work(client)
        await client.query('COMMIT')
      } finally {
        client.release()
      }
    }
    const upsert = (client, n) =>
      client.query(`INSERT INTO ${schema}.bare VALUES ($1, $2, $3) ON CONFLICT (k) DO UPDATE SET v = $2, n = $3`, [
        `r/${n}`,
        VALUE,
        n,
      ])
    const bare = () => within((client) => upsert(client, at++))
    const counted = () =>
      within(async (client) => {
        const { rows } = await client.query(`UPDATE ${schema}.bare SET n = n + 1 WHERE k = 'head' RETURNING n`)
        at++
        await upsert(client, Number(rows[0].n))
      })
    const commit = () => {
      const n = at++
      return storage.commit([{ op: 'put', key: `r/${n}`, value: VALUE, expect: 0 }], `commit ${n}`)
    }
    const candidates = (how) => ({ bare: how(bare), counted: how(counted), storage: how(commit) })
    const rounds = await measure(candidates(oneByOne))
    const many = await measure(candidates(together))
    const rows = rounds.names.map((name) => [
      name,
      microseconds(rounds.time(name).median),
      microseconds(many.time(name).median / IN_FLIGHT),
      Math.round((IN_FLIGHT * 1_000_000) / many.time(name).median).toLocaleString('en-US'),
    ])
    const targets = [
      target(
        `commit on PostgreSQL, ${IN_FLIGHT} in flight: storage : counted`,
        many.speed('storage', 'counted'),
        { atLeast: 5 },
        ratio,
      ),
    ]
    return { targets, text: table(['', 'one at a time', `${IN_FLIGHT} in flight, each`, 'a second'], rows) }
  } finally {
    await storage.close()
    await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    await pool.end()
  }
}
