/** The report of a kernel if PostgreSQL refuses the storage, cannot be reached, or does not answer. */
import { Pool } from 'pg'
import { expect, it } from 'vitest'
import { postgresqlStorage } from '../../../src/adapters/storage-postgresql/index.ts'
import { createKernel, KernelError, keySeal } from '../../../src/index.ts'
import { describePostgresql, postgresqlBench } from '../../fixtures/postgresql/bench.ts'
import { postgresqlUrl } from '../../fixtures/postgresql/server.ts'
import { freePort } from '../../fixtures/servers/server.ts'

describePostgresql('the error of a kernel whose PostgreSQL storage fails', () => {
  const bench = postgresqlBench()

  /** The error with which a kernel on the server at `url` refuses to start. */
  async function refusalAt(url: string): Promise<KernelError> {
    const pool = new Pool({ connectionString: url })
    const storage = postgresqlStorage({ pool, schema: bench.schema, timeoutMs: 1000 })
    try {
      const kernel = createKernel({ storage, seal: keySeal(new Uint8Array(32)), initialize: true })
      const error = await kernel.then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      expect(error).toBeInstanceOf(KernelError)
      return error as KernelError
    } finally {
      await storage.close()
      await pool.end()
    }
  }

  it('says that the database does not exist, that this is not an outage, and what to do', async () => {
    const url = new URL((await postgresqlUrl()) as string)
    url.pathname = '/no_such_database'
    const error = await refusalAt(url.href)
    expect(error).toMatchObject({ code: 'ERR_UNAVAILABLE', status: 503, cause: { code: '3D000' } })
    expect(error.message).toBe(
      'the storage refused the call: database does not exist (3D000); this is not an outage: ' +
        'create the database, or correct its name in the pool; nothing is known to have changed',
    )
  })

  it('says that the login was refused', async () => {
    const url = new URL((await postgresqlUrl()) as string)
    url.username = 'no_such_user'
    const error = await refusalAt(url.href)
    expect(error.message).toMatch(
      /^the storage refused the call: invalid (password|authorization) \((28P01|28000)\); this is not an outage: correct the user and/,
    )
    expect(error.message).not.toContain('no_such_user')
  })

  it('names the failed connection, but not the address', async () => {
    const port = await freePort()
    const error = await refusalAt(`postgresql://user:password@127.0.0.1:${port}/database`)
    expect(error.message).toBe(
      'the storage failed or cannot be reached: connection refused (ECONNREFUSED); nothing is known to have changed',
    )
    expect(error.cause).toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('says that the server did not answer in time', async () => {
    const lock = await (await bench.pool()).connect()
    const storage = await bench.open({ timeoutMs: 500 })
    await storage.revision()
    await lock.query(`BEGIN; LOCK TABLE ${bench.schema}.strongroom`)
    const late = createKernel({ storage, seal: keySeal(new Uint8Array(32)), initialize: true })
    const error = (await late.catch((thrown: unknown) => thrown)) as KernelError
    await lock.query('ROLLBACK')
    lock.release()
    expect(error.message).toBe(
      'the storage failed or cannot be reached: PostgreSQL did not answer in time; nothing is known to have changed',
    )
  })
})
