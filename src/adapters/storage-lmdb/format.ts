/**
 * The format of a store in LMDB, and the conversion of older formats in one transaction at opening.
 *
 * Format 1 stored verdicts and changes one by one. Format 2 stored the head among the verdicts, one record of verdicts per transaction.
 * Format 3 stores the head in a table of its own, with the newest verdicts in it; older verdicts stay where format 2 stored them.
 */
import { numberBytes, readNumber } from './bytes.ts'
import { ignoreRejection, type Root, type Table } from './driver.ts'
import { HEAD_KEY, headBytes } from './head.ts'

/** Raised when an older version can no longer read the data of a newer one. */
const FORMAT = 3
const FORMAT_KEY = Buffer.from('format')

/**
 * The value that replaces the head of formats 1 and 2. A process with an older release that still has the store open finds the largest
 * possible revision: the next revision fails inside its transaction, and so does each poll for changes. So it writes nothing more, and
 * stops answering when its caches are too old.
 */
const LAST_HEAD = Buffer.from('ffffffffffffffff0000000000000000', 'hex')

interface Tables {
  readonly meta: Table
  readonly changes: Table
  readonly head: Table
}

/** @throws Error when a newer version has written the store. */
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

/** No process reads these any more once all processes have been restarted. */
function dropSingles({ meta, changes }: Tables): void {
  for (const table of [meta, changes]) {
    for (const key of [...table.getKeys({ start: Buffer.from([0]) })])
      if (table === changes || key.toString('utf8').startsWith('verdict/')) ignoreRejection(table.remove(key))
  }
}

/** Each transaction had a slot of its own, so the next slot has the number of the next transaction. */
function moveHead({ meta, head }: Tables): void {
  const old = meta.getBinary(HEAD_KEY)
  if (!old) return
  const [revision, transactions] = [readNumber(old), readNumber(old, 8)]
  ignoreRejection(head.put(HEAD_KEY, headBytes({ revision, transactions, slots: transactions, lines: '' })))
  ignoreRejection(meta.put(HEAD_KEY, LAST_HEAD))
}
