/**
 * The database: the PostgreSQL server of `DATABASE_URL`, or a fake database in memory, so that the example runs anywhere.
 */
import pg from 'pg'
import { postgresqlPlugin } from 'strongroom/database/postgresql'
import { fakeDatabasePlugin } from 'strongroom/testing'

const PLUGIN_NAME = 'postgresql-database-plugin'

/**
 * @param url The URL of a user who may create roles; undefined for the fake database.
 * @param clock Decides when users of the fake database expire.
 */
export const openServer = (url, clock) => (url ? postgresql(new URL(url)) : standIn(clock))

async function postgresql(url) {
  const root = new pg.Client({ connectionString: url.href })
  await root.connect()
  /** Opens a connection as this user. */
  const logIn = async (user, password) => {
    const own = new URL(url)
    own.username = encodeURIComponent(user)
    own.password = encodeURIComponent(password)
    const client = new pg.Client({ connectionString: own.href })
    let end
    client.on('error', (error) => {
      end ??= error
    })
    try {
      await client.connect()
    } catch (error) {
      await client.end()
      throw error
    }
    return {
      ask: async () => {
        if (end) throw end
        return (await client.query('SELECT current_user AS name')).rows[0].name
      },
      close: () => client.end().catch(() => {}),
    }
  }
  return {
    title: `PostgreSQL at ${url.host}`,
    databases: { [PLUGIN_NAME]: postgresqlPlugin({ pg }) },
    connection: {
      plugin_name: PLUGIN_NAME,
      connection_url: `postgresql://{{username}}:{{password}}@${url.host}${url.pathname}${url.search}`,
      username: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
    },
    logIn,
    addUser: async (user, password) => {
      await root.query(`DROP ROLE IF EXISTS ${pg.escapeIdentifier(user)}`)
      await root.query(`CREATE ROLE ${pg.escapeIdentifier(user)} LOGIN PASSWORD ${pg.escapeLiteral(password)}`)
    },
    dropUser: (user) => root.query(`DROP ROLE ${pg.escapeIdentifier(user)}`),
    close: () => root.end(),
  }
}

function standIn(clock) {
  const fake = fakeDatabasePlugin({ clock })
  return {
    title: 'a stand-in in memory (DATABASE_URL names a real one)',
    databases: { [PLUGIN_NAME]: fake },
    connection: {
      plugin_name: PLUGIN_NAME,
      connection_url: 'postgresql://{{username}}:{{password}}@localhost/shop',
      username: 'root',
      password: 'root-password',
    },
    logIn: async (user, password) => {
      if (!fake.login(user, password)) throw new Error(`password authentication failed for user "${user}"`)
      const ask = async () => {
        if (!fake.users.has(user)) throw new Error('terminating connection due to administrator command')
        return user
      }
      return { ask, close: async () => {} }
    },
    addUser: async (user, password) => fake.addUser(user, password),
    dropUser: async (user) => void fake.users.delete(user),
    close: async () => {},
  }
}
