/**
 * Making, revoking and changing users on a server. Both ways take turns, a batch each, so that both meet the same server in the same state.
 */
import pg from 'pg'
import { postgresqlPlugin } from 'strongroom/database/postgresql'
import { DEFAULT_REVOCATION } from '../../dist/adapters/database-postgresql/revocation.js'
import { each } from '../in-flight.mjs'
import { microseconds, ratio, table, target } from '../report.mjs'
import { takingTurns } from '../turns.mjs'
import { movable, openKernel } from './world.mjs'

const CONNECTIONS = 4
const AT_ONCE = 16
const BATCH = 48
const ROUNDS = 15
const ROTATIONS = 1000
const ROTATION_ROUNDS = 5

/** Rights come from a group: privileges of one table are one row, for which all who are made at a time would wait, and fail. */
const CREATION = [
  `CREATE ROLE "{{name}}" WITH LOGIN PASSWORD '{{password}}' VALID UNTIL '{{expiration}}'`,
  'GRANT strongroom_bench TO "{{name}}"',
]
const PASSWORD = 'a-Password-0f-20-chr'

const filled = (text, name) =>
  text.replaceAll('{{name}}', name).replaceAll('{{password}}', PASSWORD).replaceAll('{{expiration}}', '2099-01-01 00:00:00+0000')

async function transaction(pool, texts) {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    for (const text of texts) await client.query(text)
    await client.query('COMMIT')
  } finally {
    client.release()
  }
}

export async function onServer(connectionString) {
  if (!connectionString) return { targets: [], text: 'Not measured on a server: `DATABASE_URL` was not given.' }
  const pool = new pg.Pool({ connectionString, max: CONNECTIONS })
  const { username, password } = new URL(connectionString)
  const clock = movable()
  const kernel = await openKernel(
    postgresqlPlugin({ pg }),
    {
      connection_url: connectionString.replace(/\/\/[^@/]*@/, '//{{username}}:{{password}}@'),
      username: decodeURIComponent(username),
      password: decodeURIComponent(password),
      max_open_connections: CONNECTIONS,
    },
    { clock },
  )
  const { database, leases } = kernel
  let names = 0
  const name = () => `strongroom_bench_${process.pid}_${names++}`
  try {
    await pool.query('DROP ROLE IF EXISTS strongroom_bench; CREATE ROLE strongroom_bench')
    await database.writeRole({ name: 'app', db_name: 'db', creation_statements: CREATION, default_ttl: 86_400 })

    const bareCreate = async (made) => {
      const own = name()
      await transaction(
        pool,
        CREATION.map((text) => filled(text, own)),
      )
      made.push(own)
    }
    const bareRevoke = (own) =>
      transaction(
        pool,
        DEFAULT_REVOCATION.map((text) => filled(text, own)),
      )
    const create = async (made) => void made.push((await database.creds({ name: 'app' })).lease_id)
    const revoke = (lease_id) => leases.revokeLease({ lease_id, sync: true })

    const creating = (makeOne, dropOne, atOnce) => async () => {
      const made = []
      return {
        run: () => each(BATCH, atOnce, () => makeOne(made)),
        after: () => each(BATCH, AT_ONCE, (at) => dropOne(made[at])),
      }
    }
    const revoking = (makeOne, dropOne) => async () => {
      const made = []
      await each(BATCH, AT_ONCE, () => makeOne(made))
      return { run: () => each(BATCH, 1, (at) => dropOne(made[at])) }
    }
    const both = (way, ...more) => ({ bare: way(bareCreate, bareRevoke, ...more), engine: way(create, revoke, ...more) })
    const firstRounds = await takingTurns(both(creating, 1), ROUNDS, BATCH)
    const many = await takingTurns(both(creating, AT_ONCE), ROUNDS, BATCH)
    const revoked = await takingTurns(both(revoking), ROUNDS, BATCH)

    const owners = Array.from({ length: ROTATIONS }, name)
    for (const owner of owners) await pool.query(`CREATE ROLE "${owner}" LOGIN`)
    await each(ROTATIONS, AT_ONCE, (at) =>
      database.writeStaticRole({ name: `s${at}`, db_name: 'db', username: owners[at], rotation_period: 3600 }),
    )
    const rotated = await takingTurns(
      {
        bare: async () => ({
          run: () =>
            each(ROTATIONS, AT_ONCE, (at) =>
              pool.query(filled(`ALTER ROLE "{{name}}" WITH PASSWORD '{{password}}'`, owners[at])),
            ),
        }),
        engine: async () => {
          clock.advance(3_700_000)
          return {
            async run() {
              const { done } = await kernel.tick({ limit: 10_000 })
              if (done < ROTATIONS) throw new Error(`${done} of ${ROTATIONS} rotations were done`)
            },
          }
        },
      },
      ROTATION_ROUNDS,
      ROTATIONS,
    )
    for (const owner of owners) await pool.query(`DROP ROLE "${owner}"`)

    const measured = [
      ['creds, one at a time', firstRounds, { atMost: 1.3 }],
      [`creds, ${AT_ONCE} in flight`, many, { atLeast: 0.6 }],
      ['revocation, one at a time', revoked, { atMost: 1.5 }],
      [`${ROTATIONS.toLocaleString('en')} due rotations`, rotated, { atLeast: 0.6 }],
    ]
    const rows = measured.map(([what, rounds]) => [
      what,
      microseconds(rounds.time('bare').median),
      microseconds(rounds.time('engine').median),
    ])
    const targets = measured.map(([what, rounds, limit]) =>
      limit.atMost === undefined
        ? target(`users of PostgreSQL, ${what}: rate of engine : bare`, rounds.speed('engine', 'bare'), limit, ratio)
        : target(`users of PostgreSQL, ${what}: time of engine : bare`, rounds.speed('bare', 'engine'), limit, ratio),
    )
    return { targets, text: table([`${CONNECTIONS} connections, each`, 'bare', 'engine'], rows) }
  } finally {
    await kernel.close()
    await pool.query('DROP ROLE IF EXISTS strongroom_bench')
    await pool.end()
  }
}
