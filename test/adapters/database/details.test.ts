/** Connection details are validated before the first connection, and shown without secrets. */
import * as mongodb from 'mongodb'
import mysql2 from 'mysql2/promise'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { readDetails } from '../../../src/adapters/database/details.ts'
import { mongodbPlugin } from '../../../src/adapters/database-mongodb/index.ts'
import { mysqlPlugin } from '../../../src/adapters/database-mysql/index.ts'
import { postgresqlPlugin } from '../../../src/adapters/database-postgresql/index.ts'
import { scramVerifier } from '../../../src/adapters/database-postgresql/scram.ts'
import { parsePgTarget } from '../../../src/adapters/database-postgresql/target.ts'
import { createDevKernel } from '../../../src/index.ts'

const PLUGINS = [
  { name: 'postgresql', plugin: postgresqlPlugin({ pg }), url: 'postgresql://{{username}}:{{password}}@db.example:5432/app' },
  { name: 'mysql', plugin: mysqlPlugin({ mysql2 }), url: '{{username}}:{{password}}@tcp(db.example:3306)/app' },
  { name: 'mongodb', plugin: mongodbPlugin({ mongodb }), url: 'mongodb://{{username}}:{{password}}@db.example:27017/app' },
]

describe.each(PLUGINS)('the connection details of the $name plugin', ({ plugin, url }) => {
  const good = { connection_url: url, username: 'app', password: 'secret-word' }

  it('are stored unchanged', () => {
    const details = {
      ...good,
      max_open_connections: '7',
      disable_escaping: 'true',
      max_connection_lifetime: '5m',
      colour: 'blue',
    }
    expect(plugin.configure(details)).toEqual(details)
  })

  it.each([
    ['no URL', { connection_url: undefined }],
    ['an empty URL', { connection_url: '' }],
    ['a number for the URL', { connection_url: 7 }],
    ['a text that is not a URL', { connection_url: 'not a url at all' }],
    ['keywords instead of a URL', { connection_url: 'host=db.example password=secret-word' }],
    ['a URL of 70,000 characters', { connection_url: 'x'.repeat(70_000) }],
    ['a NUL character', { password: 'a\0b' }],
    ['an unpaired surrogate', { password: 'a\ud800b' }],
    ['a list for the user', { username: ['app'] }],
    ['a placeholder as the user', { username: '{{username}}' }],
    ['a placeholder as the password', { password: 'x{{password}}' }],
    ['a word as the number of connections', { max_open_connections: 'many' }],
    ['too many connections', { max_open_connections: 100_000 }],
    ['a negative number of connections', { max_idle_connections: -1 }],
    ['an invalid flag', { disable_escaping: 'perhaps' }],
    ['an invalid duration', { max_connection_lifetime: 'long' }],
    ['a template that is no text', { username_template: 7 }],
    ['a certificate that is no text', { tls_ca: {} }],
  ])('are refused with %s', (_, wrong) => {
    let thrown: unknown
    try {
      plugin.configure({ ...good, ...wrong })
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({ reason: 'invalid' })
    expect((thrown as Error).message).not.toContain('secret-word')
  })

  it.each([
    ['an empty username', { username: '', password: '' }],
    ['an empty username and a password', { username: '' }],
    ['no username and no password', { username: undefined, password: undefined }],
  ])('are stored with %s, but a login with them is refused', async (_, missing) => {
    const details = { ...good, ...missing }
    expect(plugin.configure(details)).toEqual(details)
    const login = plugin.connect(details, AbortSignal.timeout(60_000))
    await expect(login).rejects.toMatchObject({ reason: 'invalid', message: expect.stringMatching(/^username: /) })
  })

  it('are stored without a username if verify_connection is false', async () => {
    await using kernel = await createDevKernel({ ports: { databases: { plugin } } })
    const connection = { name: 'c', plugin_name: 'plugin', connection_url: url, username: '', password: '' }
    await kernel.database.writeConnection({ ...connection, verify_connection: false })
    expect((await kernel.database.readConnection({ name: 'c' })).connection_details).toMatchObject({ username: '' })
    await expect(kernel.database.writeConnection(connection)).rejects.toMatchObject({ status: 400 })
  })

  it('are shown without the password and private keys', () => {
    const key = '-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----'
    expect(plugin.shown({ ...good, private_key: 'k', tls_certificate_key: key, colour: 'blue' })).toEqual({
      connection_url: url,
      username: 'app',
      colour: 'blue',
    })
  })

  it('cause a warning if the URL contains a password, which is masked when shown', () => {
    const inline = { connection_url: url.replace('{{username}}:{{password}}', 'app:hun%74er2') }
    expect(plugin.warnings(inline)).toHaveLength(1)
    expect(plugin.shown(inline)).toEqual({ connection_url: url.replace('{{username}}:{{password}}', 'app:xxxxx') })
    expect(plugin.warnings(good)).toEqual([])
    expect(plugin.warnings({ connection_url: url.replace('{{username}}:{{password}}', 'app') })).toEqual([])
  })
})

describe('a PostgreSQL URL', () => {
  const plugin = postgresqlPlugin({ pg })
  const takes = (connection_url: string) => plugin.configure({ connection_url, username: 'a', password: 'b' })

  it('is accepted with several hosts, with an IPv6 address and with a socket path', () => {
    takes('postgresql://{{username}}:{{password}}@db1.example,db2.example:5433/app?target_session_attrs=primary')
    takes('postgres://{{name}}@[::1]:5432/app?sslmode=verify-full')
    takes('postgresql:///app?host=/run/postgresql')
  })

  it('determines the port even if a query parameter sets the host', () => {
    const hostsOf = (connection_url: string) => {
      const details = { connection_url, username: 'a', password: 'b' }
      return parsePgTarget(readDetails(details), details).hosts
    }
    expect(hostsOf('postgresql://localhost:5433/app?host=/run/postgresql')).toEqual([{ host: '/run/postgresql', port: 5433 }])
    expect(hostsOf('postgresql://localhost:5433/app?host=/run/postgresql&port=5434')).toEqual([
      { host: '/run/postgresql', port: 5434 },
    ])
    expect(hostsOf('postgresql:///app?host=/run/postgresql')).toEqual([{ host: '/run/postgresql', port: 5432 }])
  })

  it.each([
    'postgresql://u:p@ss@db.example/app',
    'postgresql://db.example:0/app',
    'postgresql://db.example:99999/app',
    'postgresql://db.example/app?sslmode=maybe',
    'postgresql://db.example/app?passfile=/etc/passwd',
    'postgresql://db.example/app%zz',
    'postgresql://[::1/app',
    'mysql://db.example/app',
  ])('is refused if it is %s', (url) => {
    expect(() => takes(url)).toThrow('connection_url')
  })

  it('is refused if password_authentication is unknown', () => {
    const details = { connection_url: 'postgresql://db.example/app', username: 'a', password_authentication: 'md5' }
    expect(() => plugin.configure(details)).toThrow('password_authentication')
  })
})

describe('database plugins', () => {
  it('refuse an invalid driver module', () => {
    expect(() => postgresqlPlugin({ pg: {} as never })).toThrow(TypeError)
    expect(() => mysqlPlugin({ mysql2: undefined as never })).toThrow(TypeError)
    expect(() => mongodbPlugin({ mongodb: {} as never })).toThrow(TypeError)
  })

  it('compute SCRAM-SHA-256 verifiers from passwords normalized by RFC 4013', async () => {
    const salt = Uint8Array.from({ length: 16 }, (_, i) => i)
    const known =
      'SCRAM-SHA-256$4096:AAECAwQFBgcICQoLDA0ODw==$4PSH04DiBM59z6mw0gs6x1r6+duXYQ+R0KwGZr+W5/o=:IgPInY95tTazYxnARISZb/eTxuX/JRwWgrM9ByaOUIk='
    expect(await scramVerifier('password', salt)).toBe(known)
    expect(await scramVerifier('', salt)).toHaveLength(133)
    // RFC 4013: the soft hyphen is mapped to nothing, the ligature to its letters, and the no-break space to a space.
    expect(await scramVerifier('I\u00adX \ufb01\u00a0a', salt)).toBe(await scramVerifier('IX fi a', salt))
  })
})
