/** A PostgreSQL server with password logins, with tables of two owners, and kernels that create users on it. */
import pg from 'pg'
import { postgresqlPlugin } from '../../../src/adapters/database-postgresql/index.ts'
import { createDevKernel, type Kernel, type KernelOptions } from '../../../src/index.ts'
import { type MovingClock, movingClock } from '../../fixtures/moving-clock.ts'
import { type PasswordPostgres, sharedPasswordPostgres } from '../../fixtures/servers/postgres.ts'

/** Creates a user that may read `ours`. */
export const CREATION =
  `CREATE ROLE "{{name}}" WITH LOGIN PASSWORD '{{password}}' VALID UNTIL '{{expiration}}';` + `GRANT SELECT ON ours TO "{{name}}"`

/** Roles are global to the server, which other processes share, so each process has a role of its own. */
export const CREATOR = { username: `creator_${process.pid}`, password: 'creator-password-1' }

export interface Login {
  readonly username: string
  readonly password: string
}

export interface World extends AsyncDisposable {
  readonly kernel: Kernel
  readonly clock: MovingClock
  /** Writes the role `app`, which creates users by {@link CREATION}. */
  writeApp(more?: Readonly<Record<string, unknown>>): Promise<unknown>
  /** Credentials of the role `app`. */
  creds(): Promise<Login & { readonly lease_id: string }>
  /** Credentials of a static role. */
  staticCreds(name: string): Promise<Login>
}

export interface OnPostgresql extends AsyncDisposable {
  readonly server: PasswordPostgres
  /** The superuser. */
  readonly root: pg.Client
  session(login: Login): Promise<pg.Client>
  exists(username: string): Promise<boolean>
  /** When the server stops accepting the login, in milliseconds since the epoch. */
  validUntil(username: string): Promise<number>
  /** Creates a user that `creator` may change. */
  addUser(username: string, password: string): Promise<void>
  /** A kernel with the connection `pg`, for one test. */
  open(options?: { readonly details?: object } & Partial<KernelOptions>): Promise<World>
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
export const literal = (text: string): string => `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`

/** `public.ours` belongs to `creator`, which is not a superuser; `public.theirs` does not belong to it. */
export async function startOnPostgresql(): Promise<OnPostgresql> {
  const server = await sharedPasswordPostgres()
  const session = async ({ username: user, password }: Login): Promise<pg.Client> => {
    const client = new pg.Client({ host: server.host, port: server.port, user, password, database: server.database, ssl: false })
    client.on('error', () => undefined)
    await client.connect()
    return client
  }
  const root = await session(server)
  const { rowCount } = await root.query('SELECT FROM pg_roles WHERE rolname = $1', [CREATOR.username])
  if (!rowCount) await root.query(`CREATE ROLE ${CREATOR.username} LOGIN CREATEROLE PASSWORD '${CREATOR.password}'`)
  await root.query(`CREATE TABLE theirs (id int); CREATE TABLE ours (id int); ALTER TABLE ours OWNER TO ${CREATOR.username};
    CREATE SCHEMA other AUTHORIZATION ${CREATOR.username}; GRANT CREATE, USAGE ON SCHEMA public TO ${CREATOR.username}`)

  return {
    server,
    root,
    session,
    exists: async (username) => (await root.query('SELECT FROM pg_roles WHERE rolname = $1', [username])).rowCount === 1,
    async validUntil(username) {
      const { rows } = await root.query('SELECT rolvaliduntil AS at FROM pg_roles WHERE rolname = $1', [username])
      return Number(rows[0].at)
    },
    async addUser(username, password) {
      await root.query(`DROP ROLE IF EXISTS ${quoted(username)}`)
      await root.query(`CREATE ROLE ${quoted(username)} LOGIN PASSWORD ${literal(password)}`)
      await root.query(`GRANT ${quoted(username)} TO ${CREATOR.username} WITH ADMIN OPTION`)
    },
    async open({ details, ...options } = {}) {
      const clock = movingClock()
      const ports = { databases: { 'postgresql-database-plugin': postgresqlPlugin({ pg }) } }
      const kernel = await createDevKernel({ clock, ports, ...options })
      const { database } = kernel
      await database.writeConnection({
        name: 'pg',
        plugin_name: 'postgresql-database-plugin',
        connection_url: server.url,
        username: server.username,
        password: server.password,
        allowed_roles: ['*'],
        ...details,
      })
      return {
        kernel,
        clock,
        writeApp: (more = {}) =>
          database.writeRole({ name: 'app', db_name: 'pg', creation_statements: [CREATION], default_ttl: 3600, ...more }),
        async creds() {
          const { username, password = '', lease_id } = await database.creds({ name: 'app' })
          return { username, password, lease_id }
        },
        async staticCreds(name) {
          const { username, password = '' } = await database.staticCreds({ name })
          return { username, password }
        },
        [Symbol.asyncDispose]: () => kernel.close(),
      }
    },
    async [Symbol.asyncDispose]() {
      await root.end()
      await server.stop()
    },
  }
}
