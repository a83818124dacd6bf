/**
 * The format of an LMDB store, and the conversion of older formats, which takes one transaction when the store is opened.
 *
 * Format 1 has one record per verdict and per change. Format 2 has one record of verdicts per transaction, in the same table as the head.
 * Format 3 has the head in a table of its own, together with the newest verdicts; older verdicts stay where format 2 stored them.
 */
import { numberBytes, readNumber } from './bytes.ts'
import { ignoreRejection, type Root, type Table } from './driver.ts'
import { HEAD_KEY, headBytes } from './head.ts'

/** Increased when older versions of strongroom can no longer read what this version writes. */
const FORMAT = 3
const FORMAT_KEY = Buffer.from('format')

/**
 * The value that replaces the head of formats 1 and 2. A process with an older release that still has the store open reads the largest
 * possible revision from it. Computing the next revision then fails, and so does each poll for changes. So that process writes nothing
 * more, and stops answering when its caches are too old.
 */
const LAST_HEAD = Buffer.from('ffffffffffffffff0000000000000000', 'hex')

interface Tables {
  readonly meta: Table
  readonly changes: Table
  readonly head: Table
}

/** Converts a store of an older format. @throws Error if a newer version of strongroom wrote the store. */
export function migrateFormat(root: Root, tables: Tables): void {
  root.transactionSync(() => {
    const { meta } = tables
    const stamp = meta.getBinary(FORMAT_KEY)
    const format = stamp ? readNumber(stamp) : undefined
    if (format === FORMAT) return
    if (format !== undefined && format > FORMAT)
      throw new Error(`it has format ${format}; this version of strongroom reads formats up to ${FORMAT}`)
    // A store without a stamp is empty or has format 1.
    if (format === undefined || format === 1) dropSingles(tables)
    moveHead(tables)
    ignoreRejection(meta.put(FORMAT_KEY, numberBytes(FORMAT)))
  })
}

/** Deletes the verdicts and changes of format 1. After the conversion, only processes of older releases would read them. */
function dropSingles({ meta, changes }: Tables): void {
  for (const table of [meta, changes]) {
    for (const key of [...table.getKeys({ start: Buffer.from([0]) })])
      if (table === changes || key.toString('utf8').startsWith('verdict/')) ignoreRejection(table.remove(key))
  }
}

/**
 * Moves the head to its own table. Formats 1 and 2 used one slot per transaction, so the number of slots equals the number of transactions.
 */
function moveHead({ meta, head }: Tables): void {
  const old = meta.getBinary(HEAD_KEY)
  if (!old) return
  const [revision, transactions] = [readNumber(old), readNumber(old, 8)]
  ignoreRejection(head.put(HEAD_KEY, headBytes({ revision, transactions, slots: transactions, lines: '' })))
  ignoreRejection(meta.put(HEAD_KEY, LAST_HEAD))
}
