/**
 * The two halves of a writing transaction: lock the head and read, then write.
 *
 * Every writer locks the head first. So revisions are in the order of commits, and whatever a transaction reads under the lock stays valid
 * until it ends. The verdicts are computed in this process between the two halves (`verdict.ts`), so the server executes only plain
 * statements.
 */
import { logIndex, logKey } from '../../core/storage/port.ts'
import type { Session } from './connections.ts'
import { UnusableTable } from './failures.ts'
import type { Journal } from './journal.ts'
import { journalRowOf, journalText } from './journal-row.ts'
import { fromHex, HEAD_KEY, hexLiteral, keyBytes, literal, logHeadKey, numberBytes, readNumber, type TableName } from './table.ts'
import type { CommitRequest, DecidedCommits, LockedState } from './verdict.ts'

/** Larger values are sent as parameters instead of text in the statement. */
const MAX_LITERAL_BYTES = 32 * 1024

/**
 * The SQL that finds the last record of a log. Other records may have a key with the same prefix, so the pattern of the key is checked,
 * too.
 */
const tailOf = (full: string, log: string): string => {
  const [first, last] = [logKey(log, 0), logKey(log, Number.MAX_SAFE_INTEGER)].map((key) => literal(keyBytes(key)))
  return `SELECT encode(k, 'hex') AS k FROM ${full} WHERE k > ${first} AND k <= ${last} AND encode(k, 'escape') ~ '/[0-9]{16}$' ORDER BY k DESC LIMIT 1;`
}

/**
 * The index of the last record of each of these logs, for logs without a stored last index. A log lacks its last index only before its
 * first append, so a separate message looks up the last record. If every read contained this lookup, it would cost more than the rest of
 * the read.
 */
async function tailsOf({ run }: Session, full: string, logs: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const tails = new Map<string, number>()
  if (logs.length === 0) return tails
  const answers = await run(logs.map((log) => tailOf(full, log)).join(''))
  for (const [at, log] of logs.entries()) {
    const tail = answers[at]?.[0]
    if (tail) tails.set(log, logIndex(log, fromHex(tail['k']).toString('utf8')))
  }
  return tails
}

/**
 * Locks the head until the transaction of the session ends, then reads the state that the verdicts of `asked` depend on. `begin` is SQL
 * that is sent first.
 * @param journal The journal to read up to its newest row. Omit it if the session may see rows of its own uncommitted transaction.
 */
export async function lockAndRead(
  session: Session,
  { full }: TableName,
  asked: readonly CommitRequest[],
  begin: string,
  journal?: Journal,
): Promise<LockedState> {
  const expectedKeys = new Set<string>()
  const logNames = new Set<string>()
  for (const { ops } of asked) {
    for (const op of ops) {
      if (op.op === 'append') logNames.add(op.log)
      else if (op.expect !== undefined) expectedKeys.add(op.key)
    }
  }
  const expected = new Map([...expectedKeys].map((key) => [keyBytes(key).toString('hex'), key]))
  const logs = new Map([...logNames].map((log) => [logHeadKey(log).toString('hex'), log]))
  const keys = [...expected.keys(), ...logs.keys()].map(hexLiteral)
  const head = `SELECT n, encode(v, 'hex') AS v FROM ${full} WHERE k = ${literal(HEAD_KEY)} FOR UPDATE;`
  const look = `SELECT encode(k, 'hex') AS k, n FROM ${full} WHERE k IN (${keys.join(',')});`
  const asking = [head, ...(keys.length > 0 ? [look] : []), ...(journal ? [journal.rest()] : [])]
  const answers = await session.run(begin + asking.join(''))
  // Skip the results of the statements in `begin`.
  const own = answers.slice(-asking.length)
  if (journal) journal.read(own.pop()!)
  const headRow = own[0]?.[0]
  if (!headRow) throw new UnusableTable(`the table ${full} has lost its head row`)

  const versions = new Map<string, number>()
  const logHeads = new Map<string, number>()
  for (const row of keys.length > 0 ? own[1]! : []) {
    const [key, log] = [expected.get(row['k'] as string), logs.get(row['k'] as string)]
    if (key !== undefined) versions.set(key, Number(row['n']))
    else if (log !== undefined) logHeads.set(log, Number(row['n']))
  }
  const headless = [...logs.values()].filter((log) => !logHeads.has(log))
  return {
    revision: Number(headRow['n']),
    count: readNumber(fromHex(headRow['v'])),
    versions,
    logHeads,
    logTails: await tailsOf(session, full, headless),
  }
}

type NewRow = readonly [key: Buffer, value: Uint8Array, number: number]

function* newRows(decided: DecidedCommits): Iterable<NewRow> {
  for (const [key, record] of decided.records) if (record) yield [keyBytes(key), record.value, record.version]
  for (const [log, index] of decided.logHeads) yield [logHeadKey(log), new Uint8Array(0), index]
  const row = journalRowOf(decided)
  yield [row.key, journalText(row), decided.count]
  yield [HEAD_KEY, numberBytes(decided.count), decided.revision]
}

/** Writes the decided commits. `end` is SQL that is sent after them. */
export async function write({ run }: Session, { full }: TableName, decided: DecidedCommits, end: string): Promise<void> {
  const upsert = (rows: string): string =>
    `INSERT INTO ${full} (k, v, n) VALUES ${rows} ON CONFLICT (k) DO UPDATE SET v = excluded.v, n = excluded.n`
  const inText: string[] = []
  for (const [key, value, number] of newRows(decided)) {
    if (value.length <= MAX_LITERAL_BYTES) inText.push(`(${literal(key)},${literal(value)},${number})`)
    else await run(upsert('($1, $2, $3)'), [key, value, number])
  }
  const deleted = [...decided.records].flatMap(([key, record]) => (record ? [] : [literal(keyBytes(key))]))
  const removal = deleted.length > 0 ? `DELETE FROM ${full} WHERE k IN (${deleted.join(',')});` : ''
  await run(`${removal}${upsert(inText.join(','))};${end}`)
}
