import mysql2 from 'mysql2/promise'
import { expect, it } from 'vitest'
import { mysqlPlugin } from '../../../src/adapters/database-mysql/index.ts'
import { mariaDbMissing, startMariaDb } from '../../fixtures/servers/mariadb.ts'
import type { DatabaseServer } from '../../fixtures/servers/server.ts'
import { databaseLife } from './life.ts'

const CREATION = `CREATE USER '{{name}}'@'%' IDENTIFIED BY '{{password}}'; GRANT SELECT ON mysql.* TO '{{name}}'@'%'`

async function asRoot({ host, port, username: user, password }: DatabaseServer, sql: string): Promise<unknown> {
  const root = await mysql2.createConnection({ host, port, user, password })
  try {
    return (await root.query(sql))[0]
  } finally {
    await root.end()
  }
}

databaseLife({
  name: 'MariaDB',
  missing: mariaDbMissing,
  start: startMariaDb,
  plugin: mysqlPlugin({ mysql2 }),
  creation_statements: [CREATION],
  administrator: [
    `CREATE USER '{{name}}'@'%' IDENTIFIED BY '{{password}}'; GRANT ALL ON *.* TO '{{name}}'@'%' WITH GRANT OPTION`,
  ],
  failing_statements: [CREATION, 'GRANT NONSENSE'],
  drop: (server, username) => asRoot(server, `DROP USER '${username}'@'%'`),
  more(world) {
    it('creates users with exactly the configured grants', async () => {
      const { server, kernel } = world()
      const { username: user, password = '', lease_id } = await kernel.database.creds({ name: 'app' })
      const client = await mysql2.createConnection({ host: server.host, port: server.port, user, password })
      await client.query('SELECT User FROM mysql.user')
      await expect(client.query('CREATE DATABASE more')).rejects.toMatchObject({ code: 'ER_DBACCESS_DENIED_ERROR' })
      await expect(client.query(`CREATE USER 'more'@'%'`)).rejects.toMatchObject({ errno: 1227 })
      await client.end()
      await kernel.leases.revokeLease({ lease_id, sync: true })
    })

    it.each([
      // vault#7834
      ['dbmaster', 'abcdef!', false],
      // vault#29377
      ['v11@uat#test', 'v22@test', true],
    ])(
      'rotates the password of the root user %j with the password %j and disable_escaping %j',
      async (username, password, disable_escaping) => {
        const { server, kernel } = world()
        await asRoot(server, `CREATE USER '${username}'@'%' IDENTIFIED BY '${password}'`)
        await asRoot(server, `GRANT CREATE USER ON *.* TO '${username}'@'%'`)
        const details = { connection_url: server.url, username, password, disable_escaping }
        await kernel.database.writeConnection({ name: 'reported', plugin_name: 'plugin', ...details })
        await kernel.database.rotateRoot({ name: 'reported' })
        expect(await server.login(username, password)).toBe(false)
        await kernel.database.resetConnection({ name: 'reported' })
      },
    )

    it('ends open sessions of a user when the lease is revoked', async () => {
      const { server, kernel } = world()
      const { username: user, password = '', lease_id } = await kernel.database.creds({ name: 'app' })
      const client = await mysql2.createConnection({ host: server.host, port: server.port, user, password })
      client.on('error', () => undefined)
      await kernel.leases.revokeLease({ lease_id, sync: true })
      await expect(client.query('SELECT User FROM mysql.user')).rejects.toThrow()
      client.destroy()
    })

    it('leaves no user if the creation fails', async () => {
      const { server } = world()
      const left = await asRoot(server, `SELECT User FROM mysql.user WHERE User LIKE '%failing%'`)
      expect(left).toEqual([])
    })
  },
})
