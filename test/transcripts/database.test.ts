/** The database engine beside a live original, on a PostgreSQL that asks everybody for a password. */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresqlPlugin } from '../../src/adapters/database-postgresql/index.ts'
import { createDevKernel } from '../../src/index.ts'
import { movingClock } from '../fixtures/moving-clock.ts'
import { passwordPostgresMissing, startPasswordPostgres } from '../fixtures/servers/postgres.ts'
import type { DatabaseServer } from '../fixtures/servers/server.ts'
import { ALL_STORES } from '../fixtures/stores.ts'
import { loadTranscripts, replayOn, type Transcript, transcriptsPresent } from './harness.ts'

const NAMING = { ciphertext_prefix: 'vault', header_prefix: 'X-Vault' }

const why = transcriptsPresent ? passwordPostgresMissing : 'the folder shared/transcripts is absent'

type Named = readonly [string, Transcript]

async function wanted(): Promise<readonly Named[]> {
  if (!transcriptsPresent) return []
  const named = async (area: string): Promise<readonly Named[]> =>
    (await loadTranscripts(area)).map((transcript) => [`${area}/${transcript.file.replace('.json', '')}`, transcript])
  const leases = (await named('leases')).filter(([name]) => name === 'leases/last-use' || name === 'leases/owner')
  return [...(await named('database')), ...leases]
}

/** CREATEROLE alone lets nobody comment on a role from PostgreSQL 16 on, so the rotation that wants to is refused, and the password stays. */
const SINCE_16: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'rotate-root.json': { 26: 'recorded before PostgreSQL 16', 27: 'recorded before PostgreSQL 16' },
}

/** What another transcript left: its steps begin with a server that has only its superuser. */
async function empty({ host, port, username: user, password }: DatabaseServer): Promise<void> {
  const client = new pg.Client({ host, port, user, password, database: 'postgres' })
  await client.connect()
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  )
  for (const { name } of tables) await client.query(`DROP TABLE IF EXISTS ${name} CASCADE`)
  const { rows: schemas } = await client.query<{ name: string }>(
    `SELECT format('%I', nspname) AS name FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%' AND nspname NOT IN ('public', 'information_schema')`,
  )
  for (const { name } of schemas) await client.query(`DROP SCHEMA IF EXISTS ${name} CASCADE`)
  const { rows: roles } = await client.query<{ name: string }>(
    `SELECT format('%I', rolname) AS name FROM pg_roles WHERE rolname NOT LIKE 'pg\\_%' AND rolname <> current_user`,
  )
  for (const { name } of roles) await client.query(`DROP OWNED BY ${name} CASCADE`)
  for (const { name } of roles) await client.query(`DROP ROLE ${name}`)
  await client.end()
}

describe.skipIf(why !== undefined)(`transcripts of a live original${why ? ` (skipped: ${why})` : ''}`, async () => {
  const all = await wanted()
  let server: DatabaseServer

  beforeAll(async () => {
    server = await startPasswordPostgres()
  }, 60_000)
  afterAll(() => server?.stop())

  it('are all there', () => {
    expect(all.length).toBe(22)
  })

  // What is asked does not depend on the store.
  describe.each(ALL_STORES.slice(0, 1))('on $name', (store) => {
    it.each(all)('%s', async (_, transcript) => {
      await empty(server)
      const { storage, drop } = await store.open()
      const clock = movingClock()
      const databases = { 'postgresql-database-plugin': postgresqlPlugin({ pg }) }
      const kernel = await createDevKernel({ naming: NAMING, storage, clock, ports: { databases } })
      const wait = async (seconds: number) => {
        clock.advance(seconds * 1000)
        await kernel.tick()
      }
      const { url, host, port, username, password } = server
      // The recorded one was made by a token, and is called so.
      const root = (await kernel.tokens.createToken({ policies: ['root'] })).client_token
      const vars = { root, pg_url: url, pg_host: host, pg_port: port, pg_user: username, pg_password: password }
      try {
        const results = await replayOn(kernel, transcript, { wait, vars, skip: SINCE_16[transcript.file] ?? {} })
        expect(results.filter(({ ok }) => !ok).map(({ step, request, problems }) => ({ step, request, problems }))).toEqual([])
      } finally {
        await kernel.close()
        await drop()
      }
    })
  })
})
