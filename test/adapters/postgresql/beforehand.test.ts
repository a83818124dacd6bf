/**
 * Tables that were created before the storage was opened. A table that would lose, change or refuse writes is refused when the storage is
 * opened.
 */
import { expect, it } from 'vitest'
import { createKernel, keySeal } from '../../../src/index.ts'
import { describePostgresql, postgresqlBench, put, textAt } from '../../fixtures/postgresql/bench.ts'

const GOOD = 'CREATE TABLE t (k bytea PRIMARY KEY, v bytea NOT NULL, n bigint NOT NULL)'
const NOTHING = `CREATE FUNCTION drops() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`

/** The SQL that creates the table, and a part of the error. */
const UNUSABLE: Readonly<Record<string, readonly [sql: string, said: string]>> = {
  'is UNLOGGED': [GOOD.replace('TABLE', 'UNLOGGED TABLE'), 'UNLOGGED'],
  'has versions of 32 bits': [GOOD.replace('bigint', 'int'), 'column n must be of type bigint'],
  'has versions of any size': [GOOD.replace('bigint', 'numeric'), 'column n must be of type bigint'],
  'has keys that are text': [GOOD.replace('k bytea', 'k text'), 'column k must be of type bytea'],
  'has values that are text': [GOOD.replace('v bytea', 'v text'), 'column v must be of type bytea'],
  'lacks a column': ['CREATE TABLE t (k bytea PRIMARY KEY, v bytea)', 'no column n'],
  'has an additional column': [`${GOOD.slice(0, -1)}, owner text DEFAULT 'x')`, 'column owner in addition to k, v and n'],
  'generates its versions': [
    GOOD.replace('n bigint NOT NULL', 'n bigint GENERATED ALWAYS AS (1) STORED'),
    'generates its values',
  ],
  'numbers its versions as an identity column': [
    GOOD.replace('NOT NULL)', 'GENERATED ALWAYS AS IDENTITY)'),
    'generates its values',
  ],
  'has no primary key': [GOOD.replace(' PRIMARY KEY', ''), 'primary key must be the column k'],
  'has another primary key': [
    GOOD.replace('k bytea PRIMARY KEY', 'k bytea').replace('n bigint NOT NULL', 'n bigint PRIMARY KEY'),
    'primary key must be',
  ],
  'has a primary key of two columns': [
    GOOD.replace(' PRIMARY KEY', '').replace(/\)$/, ', PRIMARY KEY (k, n))'),
    'primary key must be',
  ],
  'has another unique index': [`${GOOD}; CREATE UNIQUE INDEX ON t (n)`, 'unique index'],
  'has a check constraint': [GOOD.replace('n bigint NOT NULL', 'n bigint CHECK (n < 10)'), 'constraint t_n_check'],
  'has a rule that drops writes': [`${GOOD}; CREATE RULE drops AS ON INSERT TO t DO INSTEAD NOTHING`, 'the rule drops'],
  'has a rule that drops deletions': [`${GOOD}; CREATE RULE keeps AS ON DELETE TO t DO INSTEAD NOTHING`, 'the rule keeps'],
  'has a trigger that drops writes': [
    `${GOOD}; ${NOTHING}; CREATE TRIGGER drop_all BEFORE INSERT OR UPDATE ON t FOR EACH ROW EXECUTE FUNCTION drops()`,
    'the trigger drop_all',
  ],
  'has row level security': [`${GOOD}; ALTER TABLE t ENABLE ROW LEVEL SECURITY`, 'row level security'],
  'is a view': ["CREATE VIEW t AS SELECT ''::bytea AS k, ''::bytea AS v, 1::bigint AS n", 'not a table'],
  'is a materialized view': [
    "CREATE MATERIALIZED VIEW t AS SELECT ''::bytea AS k, ''::bytea AS v, 1::bigint AS n",
    'not a table',
  ],
  'has tables that inherit from it': [`${GOOD}; CREATE TABLE child () INHERITS (t)`, 'inherit'],
  'is a partition of another table': [
    `CREATE TABLE whole (k bytea PRIMARY KEY, v bytea, n bigint) PARTITION BY HASH (k);
     CREATE TABLE t PARTITION OF whole FOR VALUES WITH (MODULUS 2, REMAINDER 0)`,
    'partition of another table',
  ],
  'has an UNLOGGED partition': [
    `${GOOD} PARTITION BY HASH (k); CREATE UNLOGGED TABLE one PARTITION OF t FOR VALUES WITH (MODULUS 1, REMAINDER 0)`,
    'is UNLOGGED',
  ],
  'has a partition with a trigger': [
    `${GOOD} PARTITION BY HASH (k); CREATE TABLE one PARTITION OF t FOR VALUES WITH (MODULUS 1, REMAINDER 0); ${NOTHING};
     CREATE TRIGGER drop_some BEFORE INSERT ON one FOR EACH ROW EXECUTE FUNCTION drops()`,
    'the trigger drop_some',
  ],
}

const USABLE: Readonly<Record<string, string>> = {
  'has the columns that the storage creates': GOOD,
  'allows NULL in columns without a key': 'CREATE TABLE t (n bigint, v bytea, k bytea PRIMARY KEY)',
  'has an additional index and a dropped column': `${GOOD}; CREATE INDEX ON t (n); ALTER TABLE t ADD COLUMN old text; ALTER TABLE t DROP COLUMN old`,
  'is partitioned': `${GOOD} PARTITION BY HASH (k);
    CREATE TABLE one PARTITION OF t FOR VALUES WITH (MODULUS 2, REMAINDER 0);
    CREATE TABLE two PARTITION OF t FOR VALUES WITH (MODULUS 2, REMAINDER 1)`,
  'has a disabled trigger': `${GOOD}; ${NOTHING};
    CREATE TRIGGER never BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION drops(); ALTER TABLE t DISABLE TRIGGER never`,
}

describePostgresql('an existing PostgreSQL table', () => {
  const bench = postgresqlBench()
  const make = async (sql: string): Promise<void> => {
    const pool = await bench.pool()
    await pool.query(`CREATE SCHEMA ${bench.schema}; SET search_path = ${bench.schema}; ${sql}; RESET search_path`)
  }

  for (const [what, [sql, said]] of Object.entries(UNUSABLE))
    it(`is refused if it ${what}`, async () => {
      await make(sql)
      const storage = await bench.open({ table: 't' })
      const refused = new RegExp(`^the table "${bench.schema}"."t" cannot hold a store: .*${said}`)
      await expect(storage.get('k')).rejects.toThrow(refused)
      await expect(storage.commit([put('k', 'x')], 'id')).rejects.toThrow(refused)
      const kernel = createKernel({ storage, seal: keySeal(new Uint8Array(32)), initialize: true })
      await expect(kernel).rejects.toMatchObject({
        code: 'ERR_UNAVAILABLE',
        message: expect.stringContaining(`the table "${bench.schema}"."t" cannot hold a store: `),
        cause: { message: expect.stringMatching(refused) },
      })
    })

  for (const [what, sql] of Object.entries(USABLE))
    it(`is accepted if it ${what}`, async () => {
      await make(sql)
      const storage = await bench.open({ table: 't' })
      const kernel = await createKernel({ storage, seal: keySeal(new Uint8Array(32)), initialize: true })
      await kernel.kv.writeSecret({ path: 'a', data: { v: 1 } })
      expect((await kernel.kv.readSecret({ path: 'a' })).data).toEqual({ v: 1 })
      await kernel.close()
    })

  it('is refused if it became UNLOGGED after a storage had used it', async () => {
    const storage = await bench.open({ table: 't' })
    await storage.commit([put('k', 'x')], 'id')
    const pool = await bench.pool()
    await pool.query(`ALTER TABLE ${bench.schema}.t SET UNLOGGED`)
    await expect((await bench.open({ table: 't' })).get('k')).rejects.toThrow('UNLOGGED')
    await pool.query(`ALTER TABLE ${bench.schema}.t SET LOGGED`)
    expect(await textAt(await bench.open({ table: 't' }), 'k')).toBe('x')
  })

  it('is refused if it is a temporary table', async () => {
    const pool = await bench.pool({ max: 2 })
    const [firstClient, otherClient] = await Promise.all([pool.connect(), pool.connect()])
    for (const client of [firstClient, otherClient]) {
      await client.query(GOOD.replace('TABLE t', 'TEMPORARY TABLE strongroom'))
      client.release()
    }
    await expect((await bench.open({ pool, schema: 'pg_temp' })).get('k')).rejects.toThrow('is temporary')
  })
})

describePostgresql('PostgreSQL durability settings', () => {
  const bench = postgresqlBench()

  it.each([
    ['off', /^synchronous_commit is off: /],
    ['on', /^(fsync is off: .*)?$/],
  ])('with synchronous_commit %s are reported in the status of a kernel', async (setting, risk) => {
    const storage = await bench.open({ pool: await bench.pool({ options: `-c synchronous_commit=${setting}` }) })
    const kernel = await createKernel({ storage, seal: keySeal(new Uint8Array(32)), initialize: true })
    const status = await kernel.status()
    expect(status.storage.durable).toBe(true)
    expect(status.storage.risk ?? '').toMatch(risk)
    await kernel.close()
  })
})
