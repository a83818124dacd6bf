/**
 * Asking a database, for work whose intent is committed and for what may be repeated.
 */
import { combinedSignal } from '../../core/base/combined-signal.ts'
import { KernelError, notFound } from '../../core/base/errors.ts'
import { NothingDone, type Outside } from '../../core/contract/effect.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { DatabaseConnections, NotConnectedError } from './connections.ts'
import { classifyDatabaseFailure, databaseKernelError, isDatabaseRefusal } from './failures.ts'
import { pluginOf } from './plugins.ts'
import type { DatabaseConnection } from './port.ts'
import { CONNECTION, type ConnectionRecord } from './records.ts'

export type DatabaseAction<T> = (connection: DatabaseConnection, signal: AbortSignal, record: ConnectionRecord) => Promise<T>

/** The database was not asked, so it has refused nothing. */
export class DatabaseNotCalled extends NothingDone {}

/**
 * For `perform`: by the record of the connection as it is now.
 * @throws NothingDone where the database was not asked or has refused; else a KernelError 502, and nobody knows.
 */
export async function callDatabaseFromEffect<T>(
  { env, signal: over, look, tick }: Outside,
  name: string,
  ask: DatabaseAction<T>,
): Promise<T> {
  const found = await look((tx) => ({ record: tx.get(CONNECTION, name), mount: tx.call.mount.uuid }))
  const { record } = found
  if (!record) throw new DatabaseNotCalled(unknownConnection(name))
  try {
    return await DatabaseConnections.of(env).use({ mount: found.mount, name, record, tick }, (connection, signal) => {
      // Whoever waits no longer may have left it to others already.
      over.throwIfAborted()
      return ask(connection, combinedSignal(signal, over), record)
    })
  } catch (thrown) {
    if (thrown instanceof KernelError && thrown.status < 500) throw new NothingDone(thrown)
    if (thrown instanceof NotConnectedError)
      throw new DatabaseNotCalled(databaseKernelError(classifyDatabaseFailure(thrown.cause)))
    const failure = classifyDatabaseFailure(thrown)
    if (isDatabaseRefusal(failure)) throw new NothingDone(databaseKernelError(failure))
    throw databaseKernelError(failure)
  }
}

/** Whether a user can log in with a password; it is no connection that anybody keeps. @throws What the plugin throws. */
export async function tryLogin(
  { env }: Outside,
  record: ConnectionRecord,
  username: string,
  password: string,
  signal: AbortSignal,
): Promise<void> {
  const connection = await pluginOf(env, record).connect({ ...record.details, username, password }, signal)
  await connection.close()
}

/**
 * For what may be repeated: waits within the transaction.
 * @param once Names the question among those of one transaction.
 * @throws KernelError 502, 400 for a connection that is not there.
 */
export function callDatabaseInTransaction(tx: Tx, once: string, name: string, ask: DatabaseAction<void>): void {
  const record = tx.get(CONNECTION, name)
  if (!record) throw unknownConnection(name)
  callOnce(tx, once, { name, record, code: 'ERR_UPSTREAM' }, ask)
}

/** A connection by a record that need not be stored yet. */
interface ConnectionTarget {
  readonly name: string
  readonly record: ConnectionRecord
  /** Of a database that refuses or cannot be reached. */
  readonly code: 'ERR_INVALID_REQUEST' | 'ERR_UPSTREAM'
}

/** Logs in, once for all runs; the connection is used from the commit on. @throws KernelError of the code */
export const verifyLogin = (tx: Tx, asked: ConnectionTarget): void => callOnce(tx, 'verify', asked, async () => {})

function callOnce(tx: Tx, once: string, { name, record, code }: ConnectionTarget, ask: DatabaseAction<void>): void {
  const { env } = tx
  const { tick, mount } = tx.call
  tx.once(once, async () => {
    try {
      await DatabaseConnections.of(env).use({ mount: mount.uuid, name, record, tick }, (connection, signal) =>
        ask(connection, signal, record),
      )
    } catch (thrown) {
      if (thrown instanceof KernelError) throw thrown
      throw databaseKernelError(classifyDatabaseFailure(thrown instanceof NotConnectedError ? thrown.cause : thrown), code)
    }
  })
}

export const unknownConnection = (name: string): KernelError =>
  notFound(`db_name: there is no connection named ${name.slice(0, 200)}`, 400)
