/**
 * The two halves of a transaction that writes: lock the head and look, then write. Room: adapters/storage-postgresql.
 *
 * Everybody who writes locks the head first, so revisions are in the order of commits, and what was looked at behind the lock holds until
 * the transaction ends. The verdicts are found here and not by the server: plain statements are all it takes.
 */
import { type Change, type Commit, logIndex, logKey } from '../../core/storage/port.ts'
import type { Session } from './connections.ts'
import type { Row } from './driver.ts'
import { UnusableTable } from './failures.ts'
import {
  changeKey,
  fromHex,
  HEAD_KEY,
  idKey,
  keyBytes,
  literal,
  logHeadKey,
  numberBytes,
  RECORDS_END,
  readNumber,
  type TableName,
} from './table.ts'
import type { Asked, Found, Judged } from './verdict.ts'

/** Larger values travel beside the text of the statement, as bytes. */
const LARGEST_LITERAL = 32 * 1024

/** A commit that changed more is told as "anything may have changed". */
const MOST_TOLD_BYTES = 256 * 1024

/** The last key that is a record of the log: other keys may begin like one. */
const tailOf = (full: string, log: string): string => {
  const [first, last] = [logKey(log, 0), logKey(log, Number.MAX_SAFE_INTEGER)].map((key) => literal(keyBytes(key)))
  return `SELECT encode(k, 'hex') AS k FROM ${full} WHERE k > ${first} AND k <= ${last} AND encode(k, 'escape') ~ '/[0-9]{16}$' ORDER BY k DESC LIMIT 1;`
}

/** Locks the head until the transaction of the session ends, then reads what the verdicts of `asked` depend on. */
export async function lockAndLook(
  session: Session,
  { full }: TableName,
  asked: readonly Asked[],
  begin: string = '',
): Promise<Found> {
  const expected = new Map<string, string>()
  const ids = new Map<string, string>()
  const logs = new Map<string, string>()
  for (const { ops, id } of asked) {
    ids.set(idKey(id).toString('hex'), id)
    for (const op of ops) {
      if (op.op === 'append') logs.set(logHeadKey(op.log).toString('hex'), op.log)
      else if (op.expect !== undefined) expected.set(keyBytes(op.key).toString('hex'), op.key)
    }
  }
  const keys = [...expected.keys(), ...ids.keys(), ...logs.keys()].map((hex) => `decode('${hex}','hex')`)
  const head = `SELECT n, encode(v, 'hex') AS v FROM ${full} WHERE k = ${literal(HEAD_KEY)} FOR UPDATE;`
  // Of records only the version is needed.
  const rest = `CASE WHEN k >= ${literal(RECORDS_END)} THEN encode(v, 'hex') END AS v`
  const look = `SELECT encode(k, 'hex') AS k, n, ${rest} FROM ${full} WHERE k IN (${keys.join(',')});`
  const tails = [...logs.values()].map((log) => tailOf(full, log)).join('')
  const answers = await session.run(begin + head + look + tails)
  const [[headRow], rows, ...tailRows] = answers.slice(-2 - logs.size) as [[Row | undefined], Row[], ...Row[][]]
  if (!headRow) throw new UnusableTable(`the table ${full} has lost its head row`)

  const found = {
    revision: Number(headRow['n']),
    count: readNumber(fromHex(headRow['v'])),
    versions: new Map<string, number>(),
    verdicts: new Map<string, Commit>(),
    logHeads: new Map<string, number>(),
    logTails: new Map<string, number>(),
  }
  for (const row of rows) {
    const hex = row['k'] as string
    const [key, id, log] = [expected.get(hex), ids.get(hex), logs.get(hex)]
    if (key !== undefined) found.versions.set(key, Number(row['n']))
    else if (id !== undefined) found.verdicts.set(id, JSON.parse(fromHex(row['v']).toString('utf8')) as Commit)
    else if (log !== undefined) found.logHeads.set(log, Number(row['n']))
  }
  for (const [index, log] of [...logs.values()].entries()) {
    const tail = tailRows[index]?.[0]
    if (tail) found.logTails.set(log, logIndex(log, fromHex(tail['k']).toString('utf8')))
  }
  return found
}

type NewRow = readonly [key: Buffer, value: Uint8Array, number: number]

const jsonBytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))

function changesOf(changes: readonly Change[]): Buffer {
  const told = changes.map(({ revision, keys }) => {
    const size = keys?.reduce((sum, key) => sum + key.length, 0) ?? 0
    return [revision, size > MOST_TOLD_BYTES ? null : keys]
  })
  return jsonBytes(told)
}

function* newRows(judged: Judged): Iterable<NewRow> {
  for (const [key, record] of judged.records) if (record) yield [keyBytes(key), record.value, record.version]
  for (const [log, index] of judged.logHeads) yield [logHeadKey(log), new Uint8Array(0), index]
  for (const { id, verdict, number } of judged.remembered) yield [idKey(id), jsonBytes(verdict), number]
  const { changes, revision } = judged
  if (changes[0]) yield [changeKey(revision), changesOf(changes), changes[0].revision]
  yield [HEAD_KEY, numberBytes(judged.count), revision]
}

/** Writes what was judged, and sends `end` with it. */
export async function write({ run }: Session, { full }: TableName, judged: Judged, end: string = ''): Promise<void> {
  const upsert = (rows: string): string =>
    `INSERT INTO ${full} (k, v, n) VALUES ${rows} ON CONFLICT (k) DO UPDATE SET v = excluded.v, n = excluded.n`
  const inText: string[] = []
  for (const [key, value, number] of newRows(judged)) {
    if (value.length <= LARGEST_LITERAL) inText.push(`(${literal(key)},${literal(value)},${number})`)
    else await run(upsert('($1, $2, $3)'), [key, value, number])
  }
  const deleted = [...judged.records].flatMap(([key, record]) => (record ? [] : [literal(keyBytes(key))]))
  const removal = deleted.length > 0 ? `DELETE FROM ${full} WHERE k IN (${deleted.join(',')});` : ''
  await run(`${removal}${upsert(inText.join(','))};${end}`)
}
