/**
 * Reads of records and names: one statement each.
 */
import { listName } from '../../core/storage/list-name.ts'
import { isKey } from '../../core/storage/ops.ts'
import type { Entry, Page, Revision } from '../../core/storage/port.ts'
import type { Session } from './connections.ts'
import type { Row } from './driver.ts'
import { endOfPrefix, fromHex, HEAD_KEY, keyBytes, literal, type TableName } from './table.ts'

const RECORD = `encode(k, 'hex') AS k, encode(v, 'hex') AS v, n`

const toEntry = (row: Row): Entry => ({
  key: fromHex(row['k']).toString('utf8'),
  value: new Uint8Array(fromHex(row['v'])),
  version: Number(row['n']),
})

/** A statement can have up to 65,535 parameters. With fewer per statement, other users of the connection can run statements in between. */
const KEYS_AT_ONCE = 1000

const placeholders = (count: number): string => Array.from({ length: count }, (_, index) => `$${index + 1}`).join(',')

export async function readEntries(
  { run }: Session,
  { full }: TableName,
  keys: readonly string[],
): Promise<(Entry | undefined)[]> {
  const found = new Map<string, Entry>()
  const wanted = [...new Set(keys.filter(isKey))]
  for (let at = 0; at < wanted.length; at += KEYS_AT_ONCE) {
    const some = wanted.slice(at, at + KEYS_AT_ONCE).map(keyBytes)
    const [rows = []] = await run(`SELECT ${RECORD} FROM ${full} WHERE k IN (${placeholders(some.length)})`, some)
    for (const row of rows) {
      const entry = toEntry(row)
      found.set(entry.key, entry)
    }
  }
  const given = new Set<string>()
  // A key that is requested twice gets two copies, because the caller owns the returned bytes.
  return keys.map((key) => {
    const entry = found.get(key)
    if (entry && given.has(key)) return { ...entry, value: entry.value.slice() }
    given.add(key)
    return entry
  })
}

const laterOf = (a: Buffer, b: Buffer): Buffer => (Buffer.compare(a, b) > 0 ? a : b)
const keyAfter = (key: string): Buffer => Buffer.concat([keyBytes(key), Buffer.from([0])])

/** The value of a LIMIT: ALL, or a whole number. */
const limitOf = (limit: number | undefined): string =>
  limit === undefined || limit === Number.POSITIVE_INFINITY ? 'ALL' : `${Math.ceil(limit)}`

export async function scanEntries({ run }: Session, { full }: TableName, prefix: string, page: Page): Promise<Entry[]> {
  const { after, limit } = page
  if ((limit !== undefined && limit <= 0) || (prefix !== '' && !isKey(prefix))) return []
  const start = after ? laterOf(keyBytes(prefix), keyAfter(after)) : keyBytes(prefix)
  const [rows = []] = await run(`SELECT ${RECORD} FROM ${full} WHERE k >= $1 AND k < $2 ORDER BY k LIMIT ${limitOf(limit)}`, [
    start,
    endOfPrefix(prefix),
  ])
  return rows.map(toEntry)
}

/** Skips each folder in one step of the index, so a folder costs the same however many keys it contains. */
const foldingList = (full: string, prefixLength: number, limit: string): string => `
  WITH RECURSIVE step (k) AS (
    (SELECT k FROM ${full} WHERE k >= $1 AND k < $2 ORDER BY k LIMIT 1)
    UNION ALL
    SELECT (
      SELECT t.k FROM ${full} AS t
      WHERE t.k < $2 AND t.k >= CASE
        WHEN position($3::bytea IN substring(step.k FROM ${prefixLength + 1})) > 0
        THEN substring(step.k FROM 1 FOR ${prefixLength - 1} + position($3::bytea IN substring(step.k FROM ${prefixLength + 1}))) || $4::bytea
        ELSE step.k || decode('00', 'hex') END
      ORDER BY t.k LIMIT 1
    ) FROM step WHERE step.k IS NOT NULL
  )
  SELECT encode(k, 'hex') AS k FROM step WHERE k IS NOT NULL LIMIT ${limit}`

export async function listNames(
  { run }: Session,
  { full }: TableName,
  prefix: string,
  options: Page & { readonly delimiter?: string },
): Promise<string[]> {
  const { after = '', limit, delimiter } = options
  if ((limit !== undefined && limit <= 0) || (prefix !== '' && !isKey(prefix))) return []
  const behindFolder = Boolean(delimiter && after.endsWith(delimiter))
  // A key that equals the prefix is not below it. So even without `after`, start after the prefix.
  const bounds: Buffer[] = [behindFolder ? endOfPrefix(prefix + after) : keyAfter(prefix + after), endOfPrefix(prefix)]
  // If `after` is inside a folder, the first row has the name of that folder and is removed below. So request one row more.
  const enough = limitOf(limit === undefined ? undefined : limit + 1)
  const [rows = []] = delimiter
    ? await run(foldingList(full, keyBytes(prefix).length, enough), [...bounds, keyBytes(delimiter), endOfPrefix(delimiter)])
    : await run(`SELECT encode(k, 'hex') AS k FROM ${full} WHERE k >= $1 AND k < $2 ORDER BY k LIMIT ${enough}`, bounds)
  const names = rows.map((row) => listName(fromHex(row['k']).toString('utf8').slice(prefix.length), delimiter))
  return names.filter((name) => Buffer.compare(keyBytes(name), keyBytes(after)) > 0).slice(0, limit)
}

export async function readRevision({ run }: Session, { full }: TableName): Promise<Revision> {
  const [rows = []] = await run(`SELECT n FROM ${full} WHERE k = ${literal(HEAD_KEY)}`)
  return Number(rows[0]?.['n'])
}
