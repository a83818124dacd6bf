/**
 * Uses a store while one promise of the driver after the other rejects, and finally all of them. Reports the number of promises. Started by
 * rejections.slow.test.ts.
 */
import { Pool } from 'pg'
import { type PgPool, type PgPoolClient, postgresqlStorage } from '../../../src/adapters/storage-postgresql/index.ts'

const [, , connectionString, schema] = process.argv
const pool = new Pool({ connectionString, max: 6 })
let rejecting = Number.POSITIVE_INFINITY
let promised = 0

/** The work of the promise is done, but the promise rejects. */
async function met<T>(answer: Promise<T>): Promise<T> {
  const rejects = ++promised === rejecting || rejecting === 0
  const value = await answer
  if (!rejects) return value
  ;(value as Partial<PgPoolClient>)?.release?.()
  throw new Error('the driver rejects')
}

const troubled: PgPool = {
  connect: () =>
    met(
      (async (): Promise<PgPoolClient> => {
        const client = await pool.connect()
        return {
          query: (text, values) => met<unknown>(values ? client.query(text, values) : client.query(text)),
          release: (destroy) => client.release(destroy),
          on: client.on.bind(client) as PgPoolClient['on'],
          removeListener: client.removeListener.bind(client) as PgPoolClient['removeListener'],
        }
      })(),
    ),
  on: pool.on.bind(pool) as PgPool['on'],
  removeListener: pool.removeListener.bind(pool) as PgPool['removeListener'],
}
const aTurn = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 5))

async function use(round: number): Promise<void> {
  const storage = postgresqlStorage({ pool: troubled, timeoutMs: 1000, heartbeatMs: 10, pollMs: 5, ...(schema && { schema }) })
  const put = (key: string) => ({ op: 'put', key, value: new Uint8Array(10) }) as const
  const transaction = await pool.connect()
  await transaction.query('BEGIN')
  await Promise.allSettled([
    storage.watch('', 0, () => {}),
    storage.commit([put('a'), put('b')], `${round} a`),
    storage.commit([{ op: 'del', key: 'a' }], `${round} b`),
    storage.get('a'),
    storage.list('', { delimiter: '/' }),
  ])
  const joined = storage.join?.([put('c')], transaction)
  await Promise.allSettled([joined])
  await transaction.query('ROLLBACK')
  transaction.release()
  await Promise.allSettled([storage.revision(true), storage.close()])
  await aTurn()
}

/** On a busy machine, a round may create fewer promises than the next one. */
const MAX_SHORT_ROUNDS = 3

let tried = 0
for (let at = 1, short = 0; at < 200 && short < MAX_SHORT_ROUNDS; at++) {
  rejecting = at
  promised = 0
  await use(at)
  if (promised < at) short++
  else {
    short = 0
    tried++
  }
}
rejecting = 0
await use(0)
await pool.end()
process.send?.({ tried })
