/**
 * Asking a database, for work whose intent is committed and for what may be repeated.
 */
import { combinedSignal } from '../../core/base/combined-signal.ts'
import { KernelError, notFound } from '../../core/base/errors.ts'
import { NothingDone, type Outside } from '../../core/contract/effect.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { Connections, NotConnected } from './connections.ts'
import { failureOf, isRefusal, refusalOf } from './failures.ts'
import { pluginOf } from './plugins.ts'
import type { DatabaseConnection } from './port.ts'
import { CONNECTION, type Connection } from './records.ts'

export type Ask<T> = (connection: DatabaseConnection, signal: AbortSignal, record: Connection) => Promise<T>

/** The database was not asked, so it has refused nothing. */
export class NotAsked extends NothingDone {}

/**
 * For `perform`: by the record of the connection as it is now.
 * @throws NothingDone where the database was not asked or has refused; else a KernelError 502, and nobody knows.
 */
export async function askOutside<T>({ env, signal: over, look, tick }: Outside, name: string, ask: Ask<T>): Promise<T> {
  const found = await look((tx) => ({ record: tx.get(CONNECTION, name), mount: tx.call.mount.uuid }))
  const { record } = found
  if (!record) throw new NotAsked(noConnection(name))
  try {
    return await Connections.of(env).use({ mount: found.mount, name, record, tick }, (connection, signal) => {
      // Whoever waits no longer may have left it to others already.
      over.throwIfAborted()
      return ask(connection, combinedSignal(signal, over), record)
    })
  } catch (thrown) {
    if (thrown instanceof KernelError && thrown.status < 500) throw new NothingDone(thrown)
    if (thrown instanceof NotConnected) throw new NotAsked(refusalOf(failureOf(thrown.cause)))
    const failure = failureOf(thrown)
    if (isRefusal(failure)) throw new NothingDone(refusalOf(failure))
    throw refusalOf(failure)
  }
}

/** Whether a user can log in with a password; it is no connection that anybody keeps. @throws What the plugin throws. */
export async function tryLogin(
  { env }: Outside,
  record: Connection,
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
export function askOnce(tx: Tx, once: string, name: string, ask: Ask<void>): void {
  const record = tx.get(CONNECTION, name)
  if (!record) throw noConnection(name)
  askBy(tx, once, { name, record, code: 'ERR_UPSTREAM' }, ask)
}

/** A connection by a record that need not be stored yet. */
interface Asked {
  readonly name: string
  readonly record: Connection
  /** Of a database that refuses or cannot be reached. */
  readonly code: 'ERR_INVALID_REQUEST' | 'ERR_UPSTREAM'
}

/** Logs in, once for all runs; the connection is used from the commit on. @throws KernelError of the code */
export const verify = (tx: Tx, asked: Asked): void => askBy(tx, 'verify', asked, async () => {})

function askBy(tx: Tx, once: string, { name, record, code }: Asked, ask: Ask<void>): void {
  const { env } = tx
  const { tick, mount } = tx.call
  tx.once(once, async () => {
    try {
      await Connections.of(env).use({ mount: mount.uuid, name, record, tick }, (connection, signal) =>
        ask(connection, signal, record),
      )
    } catch (thrown) {
      if (thrown instanceof KernelError) throw thrown
      throw refusalOf(failureOf(thrown instanceof NotConnected ? thrown.cause : thrown), code)
    }
  })
}

export const noConnection = (name: string): KernelError =>
  notFound(`db_name: there is no connection named ${name.slice(0, 200)}`, 400)
