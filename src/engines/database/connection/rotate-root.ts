import { passwordOf } from '../../../core/access/password/named.ts'
import { invalid, notFound } from '../../../core/base/errors.ts'
import { type EffectContext, effect, NotApplied } from '../../../core/contract/effect.ts'
import { effectOperation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { randomGeneration } from '../../credentials/client-cache.ts'
import { connectionsOf } from '../connections.ts'
import { callDatabaseFromEffect, tryLogin } from '../database-calls.ts'
import { classifyDatabaseFailure, databaseKernelError } from '../failures.ts'
import { CONNECTION, type ConnectionRecord } from '../records.ts'
import { CONNECTION_NAME } from './fields.ts'

export interface RootPasswordChange {
  readonly name: string
  readonly username: string
  readonly former: string
  readonly password: string
  readonly generation: string
}

export const ROTATE_DATABASE_ROOT = /* @__PURE__ */ effect({
  name: 'database-root',
  replicated: true,
  perform: changePassword,
  finish,
  recover: { perform: recover, finish },
})

async function changePassword({ name, username, password }: RootPasswordChange, outside: EffectContext): Promise<void> {
  await callDatabaseFromEffect(outside, name, (connection, signal, { root_rotation_statements: statements }) =>
    connection.updateUser({ username, credential: { type: 'password', password }, statements }, signal),
  )
}

/**
 * Completes a rotation after which it is unknown whether the former or the new password is valid. Tries to log in with the new password. If
 * the database refuses the login, logs in with the former password and sets the new one.
 */
async function recover(intent: RootPasswordChange, outside: EffectContext): Promise<void> {
  const record = await outside.read((tx) => tx.get(CONNECTION, intent.name))
  if (!record || wasReconfigured(record, intent)) return
  try {
    await tryLogin(outside, record, intent.username, intent.password, outside.signal)
  } catch (thrown) {
    const failure = classifyDatabaseFailure(thrown)
    if (failure.reason !== 'auth') throw databaseKernelError(failure)
    try {
      await changePassword(intent, outside)
    } catch (error) {
      // The database accepted neither password, so it is still unknown which password is valid. Keep the intent, which contains the former
      // and the new password.
      throw error instanceof NotApplied ? error.refusal : error
    }
  }
}

/** Whether a concurrent request has changed the user or password of the connection. The rotation must then not overwrite them. */
const wasReconfigured = ({ details }: ConnectionRecord, { username, former }: RootPasswordChange): boolean =>
  details['username'] !== username || details['password'] !== former

function finish(tx: Tx, intent: RootPasswordChange): undefined {
  const { name, password, generation } = intent
  const record = tx.get(CONNECTION, name)
  if (!record || wasReconfigured(record, intent)) return undefined
  tx.put(CONNECTION, name, { ...record, details: { ...record.details, password }, generation })
  connectionsOf(tx.env).close({ mount: tx.call.mount.uuid, name })
  tx.event('root.rotated', { name })
  return undefined
}

/**
 * @throws KernelError 400 if the connection has no user or no password, or if the password policy of the connection does not exist or
 *   cannot be satisfied.
 * @throws KernelError 404 if the connection does not exist.
 * @throws KernelError 502 if the database refuses the call, if the database cannot be reached, or if the database does not answer in time.
 * @throws KernelError 503 if an earlier change of the password of the connection is in progress, or if it is not known yet whether an
 *   earlier change of the password of the connection took effect.
 */
export const rotateRoot = effectOperation({
  verb: 'POST',
  path: '/rotate-root/:name',
  forwardable: true,
  summary: 'Changes the password of the connection’s own user. The new password is never returned.',
  fields: { name: CONNECTION_NAME },
  returns: {},
  effect: ROTATE_DATABASE_ROOT,
  prepare: (tx, { name }) => {
    const record = tx.get(CONNECTION, name)
    if (!record) throw notFound(`there is no connection named ${name}`)
    const { username, password: former } = record.details
    if (typeof username !== 'string' || username === '')
      throw invalid('username: the connection has no username, so there is no password to rotate')
    if (typeof former !== 'string' || former === '') throw invalid('password: the connection has no password to rotate')
    const intent = {
      name,
      username,
      former,
      password: passwordOf(tx, record.password_policy),
      generation: randomGeneration(tx.env),
    }
    return { id: name, intent, transient: undefined, onExistingIntent: 'resume' }
  },
})
