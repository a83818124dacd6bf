/** Writes of the kernel inside a transaction that the application has opened on the same PostgreSQL server. */
import type { Pool, PoolClient } from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createKernel, type Kernel, keySeal, type Storage } from '../../../src/index.ts'
import { describePostgresql, postgresqlBench, put, textAt } from '../../fixtures/postgresql/bench.ts'

describePostgresql('PostgreSQL storage.join', () => {
  const bench = postgresqlBench()
  let storage: Storage
  let pool: Pool
  let client: PoolClient
  beforeEach(async () => {
    storage = await bench.open()
    pool = await bench.pool()
    await storage.commit([put('a', 'before')], 'first')
    await pool.query(`CREATE TABLE ${bench.schema}.orders (id int PRIMARY KEY, state text)`)
    client = await pool.connect()
    await client.query('BEGIN')
  })
  afterEach(() => client.release())
  const orders = async (): Promise<unknown[]> => (await pool.query(`SELECT id, state FROM ${bench.schema}.orders`)).rows
  const order = (): Promise<unknown> => client.query(`INSERT INTO ${bench.schema}.orders VALUES (1, 'paid')`)

  it('makes its writes visible when the application’s transaction commits', async () => {
    const otherStorage = await bench.open()
    const notified: (readonly string[] | null)[] = []
    await otherStorage.watch('', await otherStorage.revision(true), ({ keys }) => notified.push(keys))
    await order()
    expect(await storage.join!([put('a', 'after', 1), put('b', 'new', 0)], client)).toBeUndefined()
    expect(await textAt(storage, 'a')).toBe('before')
    expect(notified).toEqual([])
    await client.query('COMMIT')
    expect([await textAt(storage, 'a'), await textAt(storage, 'b'), await orders()]).toEqual([
      'after',
      'new',
      [{ id: 1, state: 'paid' }],
    ])
    await expect.poll(() => notified, { timeout: 60_000, interval: 5 }).toEqual([['a', 'b']])
    expect((await storage.commit([put('a', 'later', 2)], 'later')).ok).toBe(true)
  })

  it('has no effect if the application’s transaction is rolled back', async () => {
    const changes: number[] = []
    await storage.watch('', 1, ({ revision }) => changes.push(revision))
    await storage.join!([put('a', 'after', 1)], client)
    await client.query('ROLLBACK')
    expect(await textAt(storage, 'a')).toBe('before')
    // The next commit has the revision of the rolled back one.
    expect(await storage.commit([put('c', 'x')], 'second')).toMatchObject({ ok: true, revision: 2 })
    expect(await storage.revision(true)).toBe(2)
    expect(changes).toEqual([2])
  })

  it('returns a conflict without aborting the application’s transaction', async () => {
    await order()
    expect(await storage.join!([put('b', 'x'), put('a', 'x', 0)], client)).toEqual({ ok: false, conflict: 'a', version: 1 })
    // The conflict does not block other commits either.
    expect((await storage.commit([put('c', 'x')], 'second')).ok).toBe(true)
    await client.query('COMMIT')
    expect([await textAt(storage, 'b'), await orders()]).toEqual([undefined, [{ id: 1, state: 'paid' }]])
  })

  it('locks the records that it expects until the application’s transaction commits', async () => {
    await storage.join!([put('b', 'x'), { op: 'check', key: 'a', expect: 1 }], client)
    const overtaking = storage.commit([put('a', 'overtaken', 1)], 'second')
    const first = await Promise.race([overtaking, new Promise((resolve) => setTimeout(resolve, 200, 'waits'))])
    expect(first).toBe('waits')
    await client.query('COMMIT')
    expect(await overtaking).toMatchObject({ ok: true, revision: 3 })
  })

  it('makes a commit of another storage wait, and fail at its deadline', async () => {
    const impatient = await bench.open({ timeoutMs: 300 })
    await storage.join!([put('b', 'x')], client)
    await expect(impatient.commit([put('c', 'x')], 'second')).rejects.toThrow()
    await client.query('COMMIT')
    expect(await storage.list('')).toEqual(['a', 'b'])
  })

  it('can be called several times in one transaction, but refuses to write the same record twice', async () => {
    await storage.join!([put('b', '1'), { op: 'check', key: 'a', expect: 1 }], client)
    await storage.join!([put('c', '1'), { op: 'check', key: 'a', expect: 1 }], client)
    await expect(storage.join!([put('b', '2')], client)).rejects.toThrow(TypeError)
    await expect(storage.join!([{ op: 'check', key: 'c', expect: 0 }], client)).rejects.toThrow(TypeError)
    await client.query('COMMIT')
    expect(await storage.list('')).toEqual(['a', 'b', 'c'])
    await client.query('BEGIN')
    await storage.join!([put('b', '2')], client)
    await client.query('COMMIT')
    expect(await textAt(storage, 'b')).toBe('2')
  })

  it('rejects if the client has no open transaction, or an aborted one', async () => {
    const ops = [put('b', 'x')]
    await client.query('COMMIT')
    await expect(storage.join!(ops, client)).rejects.toThrow(TypeError)
    for (const wrong of [undefined, null, {}, 'BEGIN', pool]) await expect(storage.join!(ops, wrong)).rejects.toThrow(TypeError)
    await client.query('BEGIN')
    await expect(client.query('SELECT 1/0')).rejects.toThrow()
    await expect(storage.join!(ops, client)).rejects.toThrow(TypeError)
    await client.query('ROLLBACK')
    expect(await storage.get('b')).toBeUndefined()
  })

  it('does not change the settings of the application’s transaction', async () => {
    await client.query(`SET LOCAL lock_timeout = '1234ms'`)
    await storage.join!([put('b', 'x')], client)
    expect((await client.query('SHOW lock_timeout')).rows).toEqual([{ lock_timeout: '1234ms' }])
    await client.query('COMMIT')
  })

  it('is used by a kernel call with the option transaction', async () => {
    const kernel: Kernel = await createKernel({
      storage: await bench.open({ table: 'kernel' }),
      seal: keySeal(new Uint8Array(32)),
      initialize: true,
    })
    const secret = async (path: string): Promise<unknown> =>
      (await kernel.kv.readSecret({ path }).catch(({ status }: { status: number }) => ({ data: status }))).data
    await kernel.kv.writeSecret({ path: 'a', data: { v: 1 } })
    expect(await secret('a')).toEqual({ v: 1 })
    await order()
    await kernel.kv.writeSecret({ path: 'a', data: { v: 2 } }, { transaction: client })
    await kernel.kv.writeSecret({ path: 'b', data: { v: 2 } }, { transaction: client })
    expect([await secret('a'), await secret('b')]).toEqual([{ v: 1 }, 404])
    await client.query('COMMIT')
    await expect.poll(() => secret('a'), { timeout: 60_000 }).toEqual({ v: 2 })
    expect([await secret('b'), await orders()]).toEqual([{ v: 2 }, [{ id: 1, state: 'paid' }]])

    await client.query('BEGIN')
    await kernel.kv.writeSecret({ path: 'a', data: { v: 3 } }, { transaction: client })
    await client.query('ROLLBACK')
    expect(await secret('a')).toEqual({ v: 2 })
    await kernel.close()
  })
})
