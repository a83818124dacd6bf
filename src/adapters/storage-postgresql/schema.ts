/** Creates a missing table. Refuses a table that a newer version of strongroom wrote, or that is unusable. */
import { randomBytes } from 'node:crypto'
import { pauseBefore, type Session } from './connections.ts'
import { isCreatedConcurrently, sqlStateOf, UNDEFINED_SCHEMA, UNDEFINED_TABLE, UnusableTable } from './failures.ts'
import { FORMAT_KEY, fromHex, HEAD_KEY, literal, numberBytes, type TableName } from './table.ts'
import { validateTable } from './validate-table.ts'

/** Increased when older versions of strongroom can no longer read what this version writes. */
const FORMAT = 1

const MAX_TRIES = 20

/** Properties of the store that are read when its table is opened. */
export interface OpenedTable {
  /** The notification channel of commits; random, so that stores in one database do not receive each other's notifications. */
  readonly channel: string
}

/** Undefined if the store has not been created in the table yet; `missing` if there is no such table. */
async function readFormat({ run }: Session, { full }: TableName): Promise<OpenedTable | 'missing' | undefined> {
  const sql = `SELECT n, encode(v, 'hex') AS v FROM ${full} WHERE k = ${literal(FORMAT_KEY)}`
  let row: Readonly<Record<string, unknown>> | undefined
  try {
    row = (await run(sql))[0]?.[0]
  } catch (error) {
    if (UNDEFINED_TABLE.test(sqlStateOf(error) ?? '')) return 'missing'
    throw error
  }
  if (!row) return undefined
  const format = Number(row['n'])
  if (format > FORMAT) {
    throw new UnusableTable(
      `the store in table ${full} has format ${format}; this version of strongroom reads formats up to ${FORMAT}`,
    )
  }
  return { channel: `strongroom_${fromHex(row['v']).toString('hex')}` }
}

/**
 * Creates the table, and its schema only if the server reports that the schema is missing. `CREATE SCHEMA IF NOT EXISTS` would fail for a
 * role without the privilege to create schemas, even if the schema exists: the server checks the privilege first.
 */
async function createTable({ run }: Session, { schema, full }: TableName): Promise<void> {
  const sql = `CREATE TABLE IF NOT EXISTS ${full} (k bytea PRIMARY KEY, v bytea NOT NULL, n bigint NOT NULL)`
  try {
    await run(sql)
  } catch (error) {
    if (!schema || sqlStateOf(error) !== UNDEFINED_SCHEMA) throw error
    await run(`CREATE SCHEMA IF NOT EXISTS ${schema}`)
    await run(sql)
  }
}

/** Writes the first rows. Another process may write them concurrently, so existing rows are left as they are. */
async function createStore({ run }: Session, { full }: TableName): Promise<void> {
  const head = `(${literal(HEAD_KEY)}, ${literal(numberBytes(0))}, 0)`
  const format = `(${literal(FORMAT_KEY)}, ${literal(randomBytes(12))}, ${FORMAT})`
  await run(`INSERT INTO ${full} (k, v, n) VALUES ${head}, ${format} ON CONFLICT (k) DO NOTHING`)
}

/**
 * Opens the table, or creates what is missing: the schema, the table, the first rows. If the table exists, the database role needs no right
 * to create objects, even if the table is empty.
 * @throws UnusableTable if a newer version of strongroom wrote the table, or if the table does not reliably keep what is written to it.
 * Also throws errors of the server.
 */
export async function openTable(session: Session, name: TableName): Promise<OpenedTable> {
  for (let attempt = 1; ; attempt++) {
    await validateTable(session, name)
    const found = await readFormat(session, name)
    if (found && found !== 'missing') return found
    if (attempt > MAX_TRIES) throw new UnusableTable(`the table ${name.full} does not keep what is written to it`)
    try {
      if (found === 'missing') await createTable(session, name)
      await createStore(session, name)
    } catch (error) {
      if (!isCreatedConcurrently(error) || attempt === MAX_TRIES) throw error
      await pauseBefore(Math.min(attempt, 4))
    }
  }
}
