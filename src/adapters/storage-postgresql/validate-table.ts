/**
 * Checks that a table reliably keeps what is written to it.
 *
 * An existing table may lose data in a crash, have a number column that is too small, or have rules that change what is written. A check is
 * skipped if the database has no catalog for the feature, because it then lacks the feature. All checks are skipped if the table is
 * missing, because strongroom then creates it correctly.
 */
import type { Session } from './connections.ts'
import { sqlStateOf, UnusableTable } from './failures.ts'
import type { TableName } from './table.ts'

/**
 * SQLSTATEs after which a check is skipped: the table does not exist yet, or a catalog, column or cast of the check does not exist or is
 * not supported.
 */
const CANNOT_SAY = /^(42|3F|0A)/

const BYTEA = 17
const BIGINT = 20
const COLUMNS: Readonly<Record<string, { readonly type: number; readonly name: string }>> = {
  k: { type: BYTEA, name: 'bytea' },
  v: { type: BYTEA, name: 'bytea' },
  n: { type: BIGINT, name: 'bigint' },
}

/** The table and its partitions. */
const PARTS = `WITH RECURSIVE part (oid, depth) AS (
    SELECT $1::text::regclass::oid, 0
    UNION ALL SELECT i.inhrelid, p.depth + 1 FROM pg_inherits AS i JOIN part AS p ON i.inhparent = p.oid)`

const KIND = `${PARTS} SELECT p.depth::int AS depth, c.oid::regclass::text AS name, c.relkind::text AS kind,
    c.relpersistence::text AS persistence, c.relrowsecurity AS secured, c.relispartition AS partition
  FROM part AS p JOIN pg_class AS c ON c.oid = p.oid ORDER BY p.depth`

const COLUMN = `SELECT attname::text AS name, atttypid::bigint::text AS type, attgenerated::text AS generated, attidentity::text AS identity
  FROM pg_attribute WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped`

const UNIQUE = `SELECT i.indisprimary AS primary, (SELECT string_agg(a.attname::text, ',') FROM pg_attribute AS a
    WHERE a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey::int2[])) AS columns, i.indisvalid AS valid
  FROM pg_index AS i WHERE i.indrelid = $1::text::regclass AND i.indisunique`

const CONSTRAINT = `SELECT conname::text AS name FROM pg_constraint WHERE conrelid = $1::text::regclass AND contype IN ('c', 'f', 'x', 't')`

const RULE = `${PARTS} SELECT r.rulename::text AS name FROM part AS p JOIN pg_rewrite AS r ON r.ev_class = p.oid WHERE r.ev_enabled <> 'D'`

const TRIGGER = `${PARTS} SELECT t.tgname::text AS name FROM part AS p JOIN pg_trigger AS t ON t.tgrelid = p.oid
  WHERE NOT t.tgisinternal AND t.tgenabled <> 'D'`

type Row = Readonly<Record<string, unknown>>

function kindFault(rows: readonly Row[]): string | undefined {
  const [table] = rows
  if (table && table['kind'] !== 'r' && table['kind'] !== 'p') return 'it is not a table'
  if (table?.['partition']) return 'it is a partition of another table'
  if (table?.['kind'] === 'r' && rows.length > 1) return 'other tables inherit from it'
  for (const { kind, persistence, secured, name, depth } of rows) {
    const which = depth === 0 ? 'it' : `its partition ${String(name)}`
    if (kind !== 'r' && kind !== 'p') return `${which} is not a table`
    if (persistence === 'u') return `${which} is UNLOGGED: a crash of the server empties it`
    if (persistence !== 'p') return `${which} is temporary`
    if (secured) return `${which} has row level security, which hides rows`
  }
  return undefined
}

function columnFault(rows: readonly Row[]): string | undefined {
  for (const [name, { type, name: typeName }] of Object.entries(COLUMNS)) {
    const column = rows.find((row) => row['name'] === name)
    if (!column) return `it has no column ${name}`
    if (Number(column['type']) !== type) return `its column ${name} must be of type ${typeName}`
    if (column['generated'] || column['identity']) return `its column ${name} generates its values`
  }
  const other = rows.find(({ name }) => COLUMNS[String(name)] === undefined)
  return other && `it has a column ${String(other['name'])} in addition to k, v and n`
}

function indexFault(rows: readonly Row[]): string | undefined {
  if (!rows.some(({ primary, columns, valid }) => primary && valid && columns === 'k'))
    return 'its primary key must be the column k'
  return rows.some(({ primary }) => !primary) ? 'it has a unique index in addition to its primary key' : undefined
}

const firstName =
  (what: string) =>
  ([row]: readonly Row[]): string | undefined =>
    row && `it has the ${what} ${String(row['name'])}, which may change or drop what is written`

const CHECKS: readonly (readonly [sql: string, fault: (rows: readonly Row[]) => string | undefined])[] = [
  [KIND, kindFault],
  [COLUMN, columnFault],
  [UNIQUE, indexFault],
  [CONSTRAINT, ([row]) => row && `it has the constraint ${String(row['name'])}, which may refuse what is written`],
  [RULE, firstName('rule')],
  [TRIGGER, firstName('trigger')],
]

/** @throws UnusableTable The message names the table and describes what is wrong with it. */
export async function validateTable({ run }: Session, { full }: TableName): Promise<void> {
  for (const [sql, faultOf] of CHECKS) {
    let rows: readonly Row[]
    try {
      rows = (await run(sql, [full]))[0] ?? []
    } catch (error) {
      if (CANNOT_SAY.test(sqlStateOf(error) ?? '')) continue
      throw error
    }
    const fault = faultOf(rows)
    if (fault) throw new UnusableTable(`the table ${full} cannot hold a store: ${fault}`)
  }
}

/** The durability settings of the server, if it has them. */
const SETTINGS = `SELECT current_setting('synchronous_commit', true) AS waits, current_setting('fsync', true) AS syncs`

/** Explains why a crash may lose commits that this connection reported as successful; undefined if no setting makes that possible. */
export async function durabilityRisk({ run }: Session): Promise<string | undefined> {
  try {
    const [[{ waits, syncs } = {}] = []] = await run(SETTINGS)
    if (waits === 'off')
      return 'synchronous_commit is off: a crash of the server can lose commits that were reported as successful just before'
    if (syncs === 'off')
      return 'fsync is off: a crash of the server machine can lose commits that were reported as successful, or the whole store'
  } catch (error) {
    if (!CANNOT_SAY.test(sqlStateOf(error) ?? '')) throw error
  }
  return undefined
}
