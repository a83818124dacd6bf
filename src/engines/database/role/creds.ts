import { invalid, notFound } from '../../../core/base/errors.ts'
import { LEASED, leasedWire } from '../../../core/contract/lease-terms.ts'
import { effectOperation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { f } from '../../../core/field/fields.ts'
import { displayNameOfCaller, templateContext } from '../../credentials/name-template.ts'
import { connectionAndPluginForRole, type RoleConnection } from '../find-connection.ts'
import { DATABASE_ROLE } from '../records.ts'
import { makeSecret } from '../secret/make.ts'
import { SHOWN_SECRET } from '../secret/shown.ts'
import { makeUsername } from '../username.ts'
import { MAKE_DATABASE_USER } from './make-user.ts'

/**
 * The user expires in the database this long after the end of the lease. So normally the kernel drops the user at the end of the lease, and
 * the expiration takes effect only if the kernel does not run.
 */
export const EXPIRATION_GRACE_MS = 5000

/**
 * @throws KernelError 400 if the role does not exist, if the connection of the role does not exist, if the kernel does not have the plugin
 *   of the connection, if the plugin does not support the credential type of the role, if the password policy does not exist, if the
 *   generated user name is too long for the database or contains unsafe characters, or if this request is the last use of the caller's
 *   token. After the last use of a token, its leases end.
 * @throws KernelError 403 if the connection does not allow the role.
 * @throws KernelError 502 if the database refuses the call, if the database cannot be reached, or if the database does not answer in time.
 */
export const creds = effectOperation({
  verb: 'GET',
  path: '/creds/:name',
  summary: 'Creates a database user with a lease. The user is dropped when the lease ends.',
  fields: { name: f.name('The name of the role.') },
  returns: { username: f.text('The name of the user.'), ...SHOWN_SECRET, ...LEASED },
  wire: leasedWire,
  effect: MAKE_DATABASE_USER,
  prepare: (tx, { name }) => {
    const role = tx.get(DATABASE_ROLE, name)
    if (!role) throw notFound(`name: unknown role ${name}`, 400)
    const { db_name, revocation_statements, default_ttl: ttl, max_ttl } = role
    const granted = connectionAndPluginForRole(tx, name, db_name, role.credential.credential_type)
    if (!role.creation_statements.some((text) => text.trim() !== ''))
      throw invalid(`creation_statements: the role ${name} has only empty statements`)
    const expiration = tx.now + tx.previewLease({ ttl, max_ttl }).ttl * 1000 + EXPIRATION_GRACE_MS
    // All runs of the transaction must use the same user name. Each run looks up whether an intent with this name exists. If the cache cannot
    // answer, the intent is loaded and the transaction is rerun. With a new name in each run, the cache could never answer.
    const username = tx.once('username', async () => usernameFor(tx, name, granted), 'attempt')
    const made = makeSecret(tx, role.credential, { policy: granted.connection.password_policy, role: name, expiration })
    return {
      id: username,
      intent: { username, role: name, db_name, revocation_statements, expiration },
      transient: {
        credential: made.database,
        shown: made.answer,
        creation_statements: role.creation_statements,
        rollback_statements: role.rollback_statements,
        ttl,
        max_ttl,
      },
      onExistingIntent: 'resume',
    }
  },
})

function usernameFor(tx: Tx, role: string, { connection, plugin }: RoleConnection): string {
  const own = connection.details['username_template']
  const fields = { DisplayName: displayNameOfCaller(tx.call.caller), RoleName: role }
  return makeUsername(typeof own === 'string' && own !== '' ? own : plugin.username_template, { fields, ...templateContext(tx) })
}
