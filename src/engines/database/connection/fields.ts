import { f } from '../../../core/field/fields.ts'
import { statements } from '../statement-fields.ts'

export const CONNECTION_NAME = f.name('The name of the connection.')

const textDetail = (description: string) => f.json<string>(description, { type: 'string' }).optional()
const countDetail = (description: string) => f.json<number>(description, { type: 'integer' }).optional()
const flagDetail = (description: string) => f.json<boolean>(description, { type: 'boolean' }).optional()

/**
 * Parameters that only the plugin interprets. The plugin validates them in `configure`, and the kernel stores the details that `configure`
 * returns.
 */
const DETAIL_FIELDS = {
  connection_url: textDetail(
    'The URL of the database. In the URL, `{{username}}` and `{{password}}` are replaced by the parameters `username` and `password`.',
  ),
  username: textDetail('The database user with which the engine logs in to create, change and drop other users.'),
  password: textDetail('The password of `username`. It is never returned.'),
  disable_escaping: flagDetail(
    'Whether user and password are inserted into the URL unchanged. Default: false, which means that they are percent-encoded.',
  ),
  username_template: textDetail(
    'Go template for the names of users, with `.DisplayName` and `.RoleName`. Default: the template of the plugin.',
  ),
  max_open_connections: countDetail('Maximum number of open connections. Default: 4.'),
  max_idle_connections: countDetail('Maximum number of idle connections that stay open. Default: `max_open_connections`.'),
  max_connection_lifetime: f
    .json<number | string>('Maximum age of a connection: seconds, or a string such as `5m`. Default: 0, which means no limit.', {
      type: 'string',
    })
    .optional(),
  password_authentication: textDetail(
    'PostgreSQL: whether new passwords are sent to the server as text (`password`, the default) or only as a SCRAM verifier (`scram-sha-256`).',
  ),
  tls_ca: textDetail('CA certificates that verify the server’s certificate, PEM.'),
  tls_certificate: textDetail('PostgreSQL: the client certificate, PEM.'),
  private_key: textDetail('PostgreSQL: the key of the client certificate, PEM. It is never returned.'),
  tls_certificate_key: textDetail(
    'MySQL and MongoDB: the client certificate and its key, PEM. Reads never return this parameter.',
  ),
  tls_server_name: textDetail('MySQL: the name in the server’s certificate, if it differs from the host.'),
  tls_skip_verify: flagDetail('MySQL: whether any server certificate is accepted. Default: false.'),
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
