/** A session that the server ends must not end the process. This needs a separate process, which an unhandled `error` event would end. */
import { expect, it } from 'vitest'
import { startChild } from '../../fixtures/child.ts'
import { mariaDbMissing, startMariaDb } from '../../fixtures/servers/mariadb.ts'
import { passwordPostgresMissing, sharedPasswordPostgres } from '../../fixtures/servers/postgres.ts'
import type { ServerAddress } from '../../fixtures/servers/server.ts'

interface Report {
  readonly use: string
  readonly ended: boolean
  readonly result: string
}

const addressOf = ({ host, port, username, password }: ServerAddress) => ({ host, port, username, password })

it.skipIf(passwordPostgresMissing !== undefined)(
  `a process with database plugins keeps running if the server ends a session at any of its answers${passwordPostgresMissing ? ` (skipped: ${passwordPostgresMissing})` : ''}`,
  async () => {
    const postgresql = await sharedPasswordPostgres()
    const mariaDb = mariaDbMissing === undefined ? await startMariaDb() : undefined
    const child = startChild('test/adapters/database/ended-sessions.child.ts', {
      postgresql: { ...addressOf(postgresql), database: postgresql.database },
      mariaDb: mariaDb && addressOf(mariaDb),
    })
    const reports: Report[] = []
    for await (const report of child.messages) reports.push(report as Report)
    expect(await child.ended).toBe('done')
    await mariaDb?.stop()
    const endedBy = (use: string) => reports.filter((report) => report.use === use && report.ended)
    for (const use of ['a client of postgresqlPool', 'the storage', 'a connection of postgresqlPlugin'])
      expect(endedBy(use).length, use).toBeGreaterThanOrEqual(2)
    // A retry or the next query uses another connection.
    for (const use of ['a client of postgresqlPool', 'the storage'])
      expect(endedBy(use).map(({ result }) => result)).not.toContain('rejected')
    for (const use of ['a session that PostgreSQL ends', ...(mariaDb ? ['a session that MariaDB ends'] : [])])
      expect(endedBy(use)).toEqual([expect.objectContaining({ result: 'rejected' })])
  },
)
