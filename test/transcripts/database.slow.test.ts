/** Uses a PostgreSQL server that requires a password of every user. */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresqlPlugin } from '../../src/adapters/database-postgresql/index.ts'
import { createDevKernel } from '../../src/index.ts'
import { movingClock } from '../fixtures/moving-clock.ts'
import { passwordPostgresMissing, startPasswordPostgres } from '../fixtures/servers/postgres.ts'
import type { DatabaseServer } from '../fixtures/servers/server.ts'
import { describeTranscripts, loadTranscripts, NAMING, type NamedTranscript, replayOn } from './harness.ts'

async function selectedTranscripts(): Promise<readonly NamedTranscript[]> {
  const leases = (await loadTranscripts('leases')).filter(([name]) => name === 'leases/last-use' || name === 'leases/owner')
  return [...(await loadTranscripts('database')), ...leases]
}

/**
 * From PostgreSQL 16 on, CREATEROLE alone does not permit comments on roles, so the recorded rotation is refused and the password does not
 * change.
 */
const SINCE_16: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'rotate-root.json': { 26: 'recorded before PostgreSQL 16', 27: 'recorded before PostgreSQL 16' },
}

/** Removes leftovers of other transcripts, because each transcript starts with a server that has only its superuser. */
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

const TITLE = 'recorded requests to the database engine'

if (passwordPostgresMissing !== undefined)
  describe.skip(TITLE, () => it(`are skipped, because this machine lacks a requirement: ${passwordPostgresMissing}`, () => {}))
else
  describeTranscripts(TITLE, async () => {
    const all = await selectedTranscripts()
    let server: DatabaseServer

    beforeAll(async () => {
      server = await startPasswordPostgres()
    })
    afterAll(() => server?.stop())

    it('are loaded from 22 recorded files', () => {
      expect(all.length).toBe(22)
    })

    // The database requests do not depend on the store.
    it.each(all)('return the recorded answers: %s', async (_, transcript) => {
      await empty(server)
      const clock = movingClock()
      const databases = { 'postgresql-database-plugin': postgresqlPlugin({ pg }) }
      await using kernel = await createDevKernel({ naming: NAMING, clock, ports: { databases } })
      const wait = async (seconds: number) => {
        clock.advance(seconds * 1000)
        await kernel.tick()
      }
      const { url, host, port, username, password } = server
      // The recorded root token was created by a token, which is visible in its display name.
      const root = (await kernel.tokens.createToken({ policies: ['root'] })).client_token
      const vars = { root, pg_url: url, pg_host: host, pg_port: port, pg_user: username, pg_password: password }
      await replayOn(kernel, transcript, { wait, vars, skip: SINCE_16[transcript.file] ?? {} })
    })
  })
