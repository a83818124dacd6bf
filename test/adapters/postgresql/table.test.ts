import { expect, it } from 'vitest'
import { postgresqlStorage } from '../../../src/adapters/storage-postgresql/index.ts'
import { describePostgresql, postgresqlBench, put, textAt } from '../../fixtures/postgresql/bench.ts'

describePostgresql('the PostgreSQL table of a storage', () => {
  const bench = postgresqlBench()

  it('is created once if many storages open the same empty database concurrently', async () => {
    const storages = await Promise.all(Array.from({ length: 8 }, () => bench.open()))
    const verdicts = await Promise.all(storages.map((storage, i) => storage.commit([put(`k/${i}`, 'x')], `${i}`)))
    expect(verdicts.map((verdict) => verdict.ok && verdict.revision).toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(await storages[0]!.list('k/')).toHaveLength(8)
  })

  it('can have any name that PostgreSQL accepts, and SQL in the name is never executed', async () => {
    const pool = await bench.pool()
    await pool.query(`CREATE SCHEMA ${bench.schema}; CREATE TABLE ${bench.schema}.victim (a int)`)
    const tables = [`x"; DROP TABLE ${bench.schema}.victim; --`, 'Wörter', `' OR 1=1 --`, '$1', 'SELECT', 'a.b', '😀'.repeat(15)]
    for (const table of tables) {
      const storage = await bench.open({ table })
      await storage.commit([put('k', table)], 'id')
      const again = await bench.open({ table })
      expect(await textAt(again, 'k')).toBe(table)
    }
    const { rows } = await pool.query('SELECT table_name FROM information_schema.tables WHERE table_schema = $1', [bench.schema])
    expect(rows.map(({ table_name }) => table_name as string).toSorted()).toEqual([...tables, 'victim'].toSorted())
  })

  it('is refused if its name, pool or time limit is invalid', async () => {
    const pool = await bench.pool()
    for (const table of ['', 'a\0b', 'x'.repeat(64), 'é'.repeat(32), 'half \ud83d', 7 as never]) {
      expect(() => postgresqlStorage({ pool, table })).toThrow(TypeError)
      expect(() => postgresqlStorage({ pool, schema: table })).toThrow(TypeError)
    }
    expect(() => postgresqlStorage({ pool: {} as never })).toThrow(TypeError)
    expect(() => postgresqlStorage({ pool, timeoutMs: 0 })).toThrow(TypeError)
    expect(() => postgresqlStorage({ pool, pollMs: Number.NaN })).toThrow(TypeError)
  })

  it('requires a pool with at least two connections', async () => {
    const pool = await bench.pool({ max: 1 })
    expect(() => postgresqlStorage({ pool })).toThrow('at least 2 connections')
  })

  it('is created in the schema of the search path if no schema is given', async () => {
    const admin = await bench.pool()
    await admin.query(`CREATE SCHEMA ${bench.schema}`)
    const pool = await bench.pool({ options: `-c search_path=${bench.schema}` })
    const storage = postgresqlStorage({ pool })
    await storage.commit([put('k', 'x')], 'id')
    await storage.close()
    expect(await textAt(await bench.open({ table: 'strongroom' }), 'k')).toBe('x')
  })

  it('is refused without retries if a newer version of strongroom has written it', async () => {
    const storage = await bench.open()
    await storage.commit([put('k', 'x')], 'id')
    const pool = await bench.pool()
    await pool.query(`UPDATE ${bench.schema}.strongroom SET n = 2 WHERE k = '\\xff66'`)
    // Retries until this deadline would exceed the timeout of the test.
    const newer = await bench.open({ timeoutMs: 600_000 })
    const message = 'has format 2; this version of strongroom reads formats up to 1'
    await expect(newer.get('k')).rejects.toThrow(message)
    await expect(newer.commit([put('k', 'y')], 'other')).rejects.toThrow(message)
    await expect(newer.watch('', 0, () => {})).rejects.toThrow(message)
  })

  it('can be used by sessions with other defaults for bytea output, isolation and read-only transactions', async () => {
    const settings = ['bytea_output=escape', 'default_transaction_isolation=serializable', 'default_transaction_read_only=on']
    const pool = await bench.pool({ options: settings.map((setting) => `-c ${setting}`).join(' ') })
    await (await bench.open()).revision()
    const storage = await bench.open({ pool })
    const value = Uint8Array.from({ length: 256 }, (_, i) => i)
    const writes = Array.from({ length: 20 }, (_, i) => storage.commit([{ op: 'put', key: `k/'\\${i}\0`, value }], `${i}`))
    expect((await Promise.all(writes)).every(({ ok }) => ok)).toBe(true)
    for (const entry of await storage.scan('k/')) expect(Buffer.compare(entry.value, value)).toBe(0)
    expect(await storage.list('k/')).toHaveLength(20)
  })

  it('leaves no listening connection and no error listener in the pool of the application after its storage is closed', async () => {
    const pool = await bench.pool({ max: 3 })
    const listeners = pool.listenerCount('error')
    const storage = await bench.open({ pool })
    await storage.watch('', 0, () => {})
    await storage.commit([put('k', 'x')], 'id')
    await storage.close()
    const clients = await Promise.all([pool.connect(), pool.connect(), pool.connect()])
    for (const client of clients) {
      expect((await client.query('SELECT pg_listening_channels()')).rows).toEqual([])
      client.release()
    }
    expect(pool.listenerCount('error')).toBe(listeners)
  })
})
