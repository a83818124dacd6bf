/** The privileges that a database role needs to open a store. */
import type { Pool } from 'pg'
import { expect, it } from 'vitest'
import { createKernel, keySeal, type Storage } from '../../../src/index.ts'
import { describePostgresql, postgresqlBench, put, textAt } from '../../fixtures/postgresql/bench.ts'

const TABLE = '(k bytea PRIMARY KEY, v bytea NOT NULL, n bigint NOT NULL)'

describePostgresql('a database role without the privilege to create schemas', () => {
  const bench = postgresqlBench()

  /** Calls `use` with the name of a new role and with a pool whose sessions have the privileges of that role. */
  async function withRole(use: (role: string, admin: Pool, limited: Pool) => Promise<void>): Promise<void> {
    const role = `role_${bench.schema}`
    const admin = await bench.pool()
    await admin.query(`CREATE ROLE ${role}`)
    try {
      await use(role, admin, await bench.pool({ options: `-c role=${role}` }))
    } finally {
      await admin.query(`DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`)
    }
  }

  async function expectUsable(storage: Storage): Promise<void> {
    const kernel = await createKernel({ storage, seal: keySeal(new Uint8Array(32)), initialize: true })
    await kernel.kv.writeSecret({ path: 'a', data: { v: 1 } })
    await kernel.kv.deleteSecret({ path: 'a' })
    await kernel.kv.writeSecret({ path: 'a', data: { v: 2 } })
    expect((await kernel.kv.readSecret({ path: 'a' })).data).toEqual({ v: 2 })
    await kernel.close()
  }

  it('creates the table in a schema that it owns', () =>
    withRole(async (role, admin, limited) => {
      await admin.query(`CREATE SCHEMA ${bench.schema} AUTHORIZATION ${role}`)
      await expect(limited.query('CREATE SCHEMA another')).rejects.toMatchObject({ code: '42501' })
      await expectUsable(await bench.open({ pool: limited }))
    }))

  it('opens an empty table in a schema that it owns', () =>
    withRole(async (role, admin, limited) => {
      await admin.query(`CREATE SCHEMA ${bench.schema} AUTHORIZATION ${role}`)
      await limited.query(`CREATE TABLE ${bench.schema}.strongroom ${TABLE}`)
      await expectUsable(await bench.open({ pool: limited }))
    }))

  it.each([
    ['with the option schema', { table: 'made' }, ''],
    ['in the search path', { table: 'made', schema: undefined as never }, 'search_path'],
  ])('needs only SELECT, INSERT, UPDATE and DELETE if an administrator has made the empty table (found %s)', (_, options, path) =>
    withRole(async (role, admin, limited) => {
      await admin.query(`CREATE SCHEMA ${bench.schema}; CREATE TABLE ${bench.schema}.made ${TABLE};
        GRANT USAGE ON SCHEMA ${bench.schema} TO ${role};
        GRANT SELECT, INSERT, UPDATE, DELETE ON ${bench.schema}.made TO ${role}`)
      const pool = path ? await bench.pool({ options: `-c role=${role} -c ${path}=${bench.schema}` }) : limited
      await expect(pool.query(`CREATE TABLE ${bench.schema}.another (a int)`)).rejects.toMatchObject({ code: '42501' })
      await expectUsable(await bench.open({ ...options, pool }))
    }),
  )

  it('opens a store that another role created', () =>
    withRole(async (role, admin, limited) => {
      const storage = await bench.open()
      await storage.commit([put('k', 'x')], 'id')
      await admin.query(`GRANT USAGE ON SCHEMA ${bench.schema} TO ${role};
        GRANT SELECT, INSERT, UPDATE, DELETE ON ${bench.schema}.strongroom TO ${role}`)
      const shared = await bench.open({ pool: limited })
      expect(await textAt(shared, 'k')).toBe('x')
      expect((await shared.commit([put('k', 'y')], 'other')).ok).toBe(true)
    }))

  it('is refused by the server if the table or the schema is missing', () =>
    withRole(async (role, admin, limited) => {
      const schemaMissing = await bench.open({ pool: limited })
      await expect(schemaMissing.get('k')).rejects.toMatchObject({ code: '42501' })
      await admin.query(`CREATE SCHEMA ${bench.schema}; GRANT USAGE ON SCHEMA ${bench.schema} TO ${role}`)
      const tableMissing = await bench.open({ pool: limited })
      await expect(tableMissing.get('k')).rejects.toMatchObject({ code: '42501' })
      const kernel = createKernel({ storage: tableMissing, seal: keySeal(new Uint8Array(32)), initialize: true })
      await expect(kernel).rejects.toMatchObject({
        code: 'ERR_UNAVAILABLE',
        message:
          'the storage refused the call: insufficient privilege (42501); this is not an outage: ' +
          'grant the database role the missing privileges on the table or its schema; nothing is known to have changed',
        cause: { code: '42501' },
      })
    }))
})
