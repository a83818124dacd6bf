import { f } from '../../../core/field/fields.ts'
import { statements } from '../statement-fields.ts'

const STRING = { type: 'string' }

export const CONNECTION_NAME = f.name('The name of the connection.')

/**
 * Parameters that only the plugin interprets. The plugin validates them in `configure`, and the kernel stores the details that `configure`
 * returns.
 */
const DETAIL_FIELDS = {
  connection_url: f
    .json<string>(
      'The URL of the database. In the URL, `{{username}}` and `{{password}}` are replaced by the parameters `username` and `password`.',
      STRING,
    )
    .optional(),
  username: f
    .json<string>('The database user with which the engine logs in to create, change and drop other users.', STRING)
    .optional(),
  password: f.json<string>('The password of `username`. It is never returned.', STRING).optional(),
  disable_escaping: f
    .json<boolean>(
      'Whether user and password are inserted into the URL unchanged. Default: false, which means that they are percent-encoded.',
      {
        type: 'boolean',
      },
    )
    .optional(),
  username_template: f
    .json<string>(
      'Go template for the names of users, with `.DisplayName` and `.RoleName`. Default: the template of the plugin.',
      STRING,
    )
    .optional(),
  max_open_connections: f.json<number>('Maximum number of open connections. Default: 4.', { type: 'integer' }).optional(),
  max_idle_connections: f
    .json<number>('Maximum number of idle connections that stay open. Default: `max_open_connections`.', { type: 'integer' })
    .optional(),
  max_connection_lifetime: f
    .json<number | string>(
      'Maximum age of a connection: seconds, or a string such as `5m`. Default: 0, which means no limit.',
      STRING,
    )
    .optional(),
  password_authentication: f
    .json<string>(
      'PostgreSQL: whether new passwords are sent to the server as text (`password`, the default) or only as a SCRAM verifier (`scram-sha-256`).',
      STRING,
    )
    .optional(),
  tls_ca: f.json<string>('CA certificates that verify the server’s certificate, PEM.', STRING).optional(),
  tls_certificate: f.json<string>('PostgreSQL: the client certificate, PEM.', STRING).optional(),
  private_key: f.json<string>('PostgreSQL: the key of the client certificate, PEM. It is never returned.', STRING).optional(),
  tls_certificate_key: f
    .json<string>('MySQL and MongoDB: the client certificate and its key, PEM. Reads never return this parameter.', STRING)
    .optional(),
  tls_server_name: f.json<string>('MySQL: the name in the server’s certificate, if it differs from the host.', STRING).optional(),
  tls_skip_verify: f
    .json<boolean>('MySQL: whether any server certificate is accepted. Default: false.', { type: 'boolean' })
    .optional(),
}

export const DETAIL_NAMES = Object.keys(DETAIL_FIELDS) as readonly (keyof typeof DETAIL_FIELDS)[]

export const CONNECTION_FIELDS = {
  name: CONNECTION_NAME,
  plugin_name: f.text('The name of the plugin in `ports.databases`. Required for a new connection.').optional(),
  plugin_version: f
    .text('The version that the plugin must have, such as `1.2.3`. Default: every version is accepted.')
    .optional(),
  verify_connection: f.bool('Whether to log in before the connection is stored.').default(true),
  allowed_roles: f
    .list('Roles that may use the connection: names, patterns such as `app-*`, or `*` for all. Default: none.')
    .optional(),
  root_rotation_statements: statements('Statements that change the password of the connection’s own user.').optional(),
  root_credentials_rotate_statements: statements(
    'Another name for `root_rotation_statements`. `readConnection` returns the statements under this name.',
  ).optional(),
  password_policy: f
    .text('The password policy for users of this connection. Default: 20 characters, with letters of both cases, digits and `-`.')
    .optional(),
  ...DETAIL_FIELDS,
  connection_details: f
    .object('Parameters of other plugins. In HTTP requests they are members of the body, next to the other parameters.')
    .optional(),
}
