import { combinedSignal } from '../../core/base/combined-signal.ts'
import { KernelError } from '../../core/base/errors.ts'
import { type EffectContext, NotApplied } from '../../core/contract/effect.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { NotCalled } from '../credentials/intents.ts'
import { connectionsOf, NotConnectedError } from './connections.ts'
import { classifyDatabaseFailure, databaseKernelError, isDatabaseRefusal } from './failures.ts'
import { pluginOf, unknownConnection } from './find-connection.ts'
import type { DatabaseConnection } from './port.ts'
import { CONNECTION, type ConnectionRecord } from './records.ts'

export type DatabaseAction<T> = (connection: DatabaseConnection, signal: AbortSignal, record: ConnectionRecord) => Promise<T>

/**
 * Calls the database from the `perform` function of an effect, with the current connection record.
 * @throws NotApplied if the database was not called or refused the call, so that nothing has changed; KernelError 502 after any other
 * failure, when the call may have taken effect.
 */
export async function callDatabaseFromEffect<T>(
  { env, signal: over, read: look, tick }: EffectContext,
  name: string,
  ask: DatabaseAction<T>,
): Promise<T> {
  const found = await look((tx) => ({ record: tx.get(CONNECTION, name), mount: tx.call.mount.uuid }))
  const { record } = found
  if (!record) throw new NotCalled(unknownConnection(name))
  try {
    return await connectionsOf(env).use({ mount: found.mount, name, record, tick }, (connection, signal) => {
      // Do not call the database after `over` was aborted, because another process may already be recovering the intent.
      over.throwIfAborted()
      return ask(connection, combinedSignal(signal, over), record)
    })
  } catch (thrown) {
    if (thrown instanceof KernelError && thrown.status < 500) throw new NotApplied(thrown)
    if (thrown instanceof NotConnectedError) throw new NotCalled(databaseKernelError(classifyDatabaseFailure(thrown.cause)))
    const failure = classifyDatabaseFailure(thrown)
    if (isDatabaseRefusal(failure)) throw new NotApplied(databaseKernelError(failure))
    throw databaseKernelError(failure)
  }
}

/** Checks that a user can log in with a password, on a separate connection that is closed afterwards. @throws Every error of the plugin. */
export async function tryLogin(
  { env }: EffectContext,
  record: ConnectionRecord,
  username: string,
  password: string,
  signal: AbortSignal,
): Promise<void> {
  const connection = await pluginOf(env, record).connect({ ...record.details, username, password }, signal)
  await connection.close()
}

/**
 * Calls the database inside a transaction. All runs of the transaction share one call. The call must be idempotent: if the commit fails
 * after the call, the caller may repeat the whole request.
 * @param once A name for the call, unique in the transaction. A rerun recognizes the call by this name.
 * @throws KernelError 400 if the connection does not exist, 502 if the call fails.
 */
export function callDatabaseInTransaction(tx: Tx, once: string, name: string, ask: DatabaseAction<void>): void {
  const record = tx.get(CONNECTION, name)
  if (!record) throw unknownConnection(name)
  callOnce(tx, once, { name, record, code: 'ERR_UPSTREAM' }, ask)
}

/** A connection and its record. The record of a new connection is not stored yet. */
interface ConnectionTarget {
  readonly name: string
  readonly record: ConnectionRecord
  /** The error code to use if the database refuses the call or cannot be reached. */
  readonly code: 'ERR_INVALID_REQUEST' | 'ERR_UPSTREAM'
}

/**
 * Logs in, once for all runs of the transaction. The connection stays open for use after the commit. @throws KernelError with `target.code`
 * if the login fails.
 */
export const verifyLogin = (tx: Tx, target: ConnectionTarget): void => callOnce(tx, 'verify', target, async () => {})

function callOnce(tx: Tx, once: string, { name, record, code }: ConnectionTarget, ask: DatabaseAction<void>): void {
  const { env } = tx
  const { tick, mount } = tx.call
  tx.once(once, async () => {
    try {
      await connectionsOf(env).use({ mount: mount.uuid, name, record, tick }, (connection, signal) =>
        ask(connection, signal, record),
      )
    } catch (thrown) {
      if (thrown instanceof KernelError) throw thrown
      throw databaseKernelError(classifyDatabaseFailure(thrown instanceof NotConnectedError ? thrown.cause : thrown), code)
    }
  })
}
