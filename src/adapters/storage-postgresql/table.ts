/**
 * The only table of a store, and the layout of its rows.
 *
 * Each row has a key, a value and a number. For a record, these are its key in UTF-8, its value, and its version. The store's other data is
 * in the same table, so that a commit is one statement that writes and one that deletes. The keys of this other data begin with the byte
 * 0xff, which does not occur in UTF-8, so they sort after all records:
 *
 * | key | content |
 * |---|---|
 * | ff 'f' | the number is the format of the table, and the value is the notification channel |
 * | ff 'h' | the head: the number is the newest revision, and the value is the number of verdicts so far; every writer locks it first |
 * | ff 'j' revision verdicts | a row of the journal: the changes and verdicts of one transaction; both numbers are those that it wrote to the head |
 * | ff 'l' log | the last index assigned in a log |
 */
export const keyBytes = (key: string): Buffer => Buffer.from(key, 'utf8')

const reserved = (kind: string, rest: Uint8Array = Buffer.alloc(0)): Buffer =>
  Buffer.concat([Buffer.from([0xff]), Buffer.from(kind), rest])

export const RECORDS_END = reserved('')
export const FORMAT_KEY = reserved('f')
export const HEAD_KEY = reserved('h')
export const JOURNAL_END = reserved('k')

export const logHeadKey = (log: string): Buffer => reserved('l', keyBytes(log))
export const journalKey = (revision: number, count: number): Buffer =>
  reserved('j', Buffer.concat([numberBytes(revision), numberBytes(count)]))

/** Eight bytes, big-endian, so that keys made of numbers sort by value. */
export function numberBytes(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}

export const readNumber = (bytes: Buffer): number => Number(bytes.readBigUInt64BE())

/** The smallest key that is larger than all keys with this prefix. The last byte can be incremented, because no byte of UTF-8 is 0xff. */
export function endOfPrefix(prefix: string): Buffer {
  if (prefix === '') return RECORDS_END
  const bytes = keyBytes(prefix)
  bytes[bytes.length - 1]!++
  return bytes
}

/**
 * A literal for bytes in a statement, valid with any session settings for strings and bytea. The server infers its type from the context. A
 * call of `decode` would be equivalent, but would make a commit a fifth slower.
 */
export const literal = (bytes: Uint8Array): string => hexLiteral(toHex(bytes))

/** {@link literal} of bytes that are already hexadecimal. */
export const hexLiteral = (hex: string): string => `E'\\\\x${hex}'`

const toHex = (bytes: Uint8Array): string =>
  (Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)).toString('hex')

export const fromHex = (column: unknown): Buffer => Buffer.from(column as string, 'hex')

/** PostgreSQL silently truncates longer names, so two different names could refer to the same table. */
const MAX_NAME_BYTES = 63

/** @throws TypeError for an invalid name. */
function quoted(name: unknown, what: string): string {
  if (typeof name !== 'string' || name === '' || name.includes('\0') || /\p{Surrogate}/u.test(name))
    throw new TypeError(`${what}: must be the name of a ${what}`)
  if (keyBytes(name).length > MAX_NAME_BYTES) throw new TypeError(`${what}: must have at most ${MAX_NAME_BYTES} bytes`)
  return `"${name.replaceAll('"', '""')}"`
}

export interface TableName {
  /** Quoted. */
  readonly table: string
  /** Quoted. If undefined, the connection's search path decides. */
  readonly schema: string | undefined
  /** The full name for statements. */
  readonly full: string
}

export function tableName(table: string, schema: string | undefined): TableName {
  const quotedTable = quoted(table, 'table')
  if (schema === undefined) return { table: quotedTable, schema, full: quotedTable }
  const quotedSchema = quoted(schema, 'schema')
  return { table: quotedTable, schema: quotedSchema, full: `${quotedSchema}.${quotedTable}` }
}
