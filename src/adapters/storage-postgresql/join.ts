/** Writes inside a transaction that the application has open. */
import type { Commit, Conflict, Op } from '../../core/storage/port.ts'
import { deadlineIn, type Session } from './connections.ts'
import { type PgQueryable, rowsOf } from './driver.ts'
import { sqlStateOf } from './failures.ts'
import type { TableName } from './table.ts'
import { lockAndRead, write } from './transaction.ts'
import { decideCommits } from './verdict.ts'

const NOT_IN_TRANSACTION = /^25P0[12]$/

/**
 * The keys that the current transaction of a client has written so far. The start time distinguishes the transaction from the client's next
 * one.
 */
interface Joined {
  readonly began: unknown
  readonly keys: Set<string>
}

const keyOf = (op: Op): string[] => (op.op === 'append' ? [] : [op.key])

export function assertClient(transaction: unknown): asserts transaction is PgQueryable {
  const client = transaction as Partial<PgQueryable> | null
  if (typeof client !== 'object' || client === null || typeof client.query !== 'function')
    throw new TypeError('transaction: must be the pg client on which the transaction was begun')
}

export class Joiner {
  readonly #name: TableName
  readonly #timeoutMs: number
  readonly #joined = new WeakMap<PgQueryable, Joined>()

  constructor(name: TableName, timeoutMs: number) {
    this.#name = name
    this.#timeoutMs = timeoutMs
  }

  /**
   * Writes the ops inside the open transaction of the client. SAVEPOINT fails outside a transaction, so it detects a client without one.
   * After an error or a conflict, a rollback to the savepoint undoes everything that this method did. After a successful write, the head row
   * stays locked until the application ends its transaction, so the checked expectations hold until then.
   * @param end SQL that is sent after the writes.
   */
  async join(ops: readonly Op[], client: PgQueryable, end: string): Promise<Conflict | undefined> {
    const session = sessionOn(client, this.#timeoutMs)
    try {
      await session.run('SAVEPOINT strongroom')
    } catch (error) {
      if (!NOT_IN_TRANSACTION.test(sqlStateOf(error) ?? '')) throw error
      throw new TypeError('transaction: this client is not in a transaction, or in one that has failed', { cause: error })
    }
    try {
      const verdict = await this.#write(session, client, ops, end)
      await session.run(verdict.ok ? 'RELEASE SAVEPOINT strongroom' : UNDO)
      return verdict.ok ? undefined : verdict
    } catch (error) {
      await session.run(UNDO).catch(() => undefined)
      throw error
    }
  }

  async #write(session: Session, client: PgQueryable, ops: readonly Op[], end: string): Promise<Commit> {
    const [[now] = []] = await session.run(`SELECT now()::text AS began, current_setting('lock_timeout') AS wait`)
    const before = this.#joined.get(client)
    const joined: Joined = before?.began === now?.['began'] && before ? before : { began: now?.['began'], keys: new Set() }
    // The kernel reads records in other sessions, which cannot see the writes of this transaction. So the kernel cannot have a valid
    // expectation about a record that this transaction wrote.
    if (ops.flatMap(keyOf).some((key) => joined.keys.has(key))) throw new TypeError('the transaction already wrote this record')

    const asked = [{ ops, id: 'joined' }]
    const wait = `SET LOCAL lock_timeout = ${Math.round(this.#timeoutMs * 0.9)};`
    const found = await lockAndRead(session, this.#name, asked, wait)
    const decided = decideCommits(found, asked, () => undefined)
    const verdict = decided.verdicts[0]!
    if (!verdict.ok) return verdict
    const restore = `SELECT set_config('lock_timeout', '${String(now?.['wait'])}', true);`
    // A joined commit cannot be repeated by an id, so its verdict is not stored.
    await write(session, this.#name, { ...decided, remembered: [] }, `${restore}${end}`)
    for (const op of ops) if (op.op !== 'check') for (const key of keyOf(op)) joined.keys.add(key)
    this.#joined.set(client, joined)
    return verdict
  }
}

const UNDO = 'ROLLBACK TO SAVEPOINT strongroom; RELEASE SAVEPOINT strongroom'

/**
 * A session on the application's connection. The application handles its errors and time limits; `timeoutMs` limits only the wait for
 * locks.
 */
function sessionOn(client: PgQueryable, timeoutMs: number): Session {
  return {
    client: client as Session['client'],
    deadline: deadlineIn(timeoutMs),
    run: async (text, values) => rowsOf(await (values ? client.query(text, values) : client.query(text))),
  }
}
