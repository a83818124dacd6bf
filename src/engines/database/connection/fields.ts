/**
 * What a connection is written with.
 */
import { f } from '../../../core/field/fields.ts'
import { statements } from '../statement-fields.ts'

const STRING = { type: 'string' }

export const NAME = f.name('The name of the connection.')

/** Beside what all plugins have: those are kept as they were given, and judged by the plugin. */
const DETAIL_FIELDS = {
  connection_url: f
    .json<string>('Where the database is, with `{{username}}` and `{{password}}` standing for the two below.', STRING)
    .optional(),
  username: f.json<string>('The user that makes, changes and drops users.', STRING).optional(),
  password: f.json<string>('Its password. Never shown.', STRING).optional(),
  disable_escaping: f
    .json<boolean>('User and password go into the URL as they are. Default false: percent-encoded.', { type: 'boolean' })
    .optional(),
  username_template: f
    .json<string>('Makes the names of users: Go template over `.DisplayName` and `.RoleName`. Default: the plugin’s.', STRING)
    .optional(),
  max_open_connections: f.json<number>('Connections at a time. Default 4.', { type: 'integer' }).optional(),
  max_idle_connections: f.json<number>('Of them kept open. Default: all.', { type: 'integer' }).optional(),
  max_connection_lifetime: f.json<number | string>('Seconds, or text such as `5m`; 0, the default: for ever.', STRING).optional(),
  password_authentication: f
    .json<string>('PostgreSQL: `password`, the default, or `scram-sha-256`: the server gets a verifier only.', STRING)
    .optional(),
  tls_ca: f.json<string>('Certificates that the server’s certificate must chain to, PEM.', STRING).optional(),
  tls_certificate: f.json<string>('PostgreSQL: the client certificate, PEM.', STRING).optional(),
  private_key: f.json<string>('PostgreSQL: the key of the client certificate, PEM. Never shown.', STRING).optional(),
  tls_certificate_key: f.json<string>('MySQL, MongoDB: the client certificate and its key, PEM. Never shown.', STRING).optional(),
  tls_server_name: f.json<string>('MySQL: the name in the server’s certificate, if it differs from the host.', STRING).optional(),
  tls_skip_verify: f.json<boolean>('MySQL: accept any server certificate. Default false.', { type: 'boolean' }).optional(),
}

export const DETAIL_NAMES = Object.keys(DETAIL_FIELDS) as readonly (keyof typeof DETAIL_FIELDS)[]

export const CONNECTION_FIELDS = {
  name: NAME,
  plugin_name: f.text('The plugin, by its name in `ports.databases`. Needed for a new connection.').optional(),
  plugin_version: f.text('Its version, such as `1.2.3`. Default: whichever there is.').optional(),
  verify_connection: f.bool('Log in before anything is stored.').default(true),
  allowed_roles: f.list('Names of roles, or patterns such as `app-*`; `*` alone allows all. Default: none.').optional(),
  root_rotation_statements: statements('Statements that change the password of the connection’s own user.').optional(),
  root_credentials_rotate_statements: statements('The same, by the name it is read by.').optional(),
  password_policy: f.text('The password policy for users of this connection. Default: 20 characters of four kinds.').optional(),
  ...DETAIL_FIELDS,
  connection_details: f.object('Parameters of other plugins. On the wire they are members of the body.').optional(),
}
