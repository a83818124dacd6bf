/**
 * The format of a store in LMDB, and how an older one becomes today's: in one transaction, when it is opened.
 *
 * Format 1 kept verdicts and changes one by one. Format 2 kept the head among the verdicts, one record of them for each transaction.
 * Format 3 keeps the head in a table of its own, with the newest verdicts in it; older verdicts stay where format 2 has put them.
 */
import { numberBytes, readNumber } from './bytes.ts'
import { type Root, type Table, unheeded } from './driver.ts'
import { HEAD_KEY, headBytes } from './head.ts'

/** Raised when an older version can no longer read the data of a newer one. */
const FORMAT = 3
const FORMAT_KEY = Buffer.from('format')

/**
 * What is left in the place of the head of formats 1 and 2. A process with an older release that has had the store open since before finds
 * the largest revision there is: it fails at the next one, inside of its transaction, and at each look for changes. So it writes nothing
 * more, and stops to answer once what it holds is too old.
 */
const LAST_HEAD = Buffer.from('ffffffffffffffff0000000000000000', 'hex')

interface Tables {
  readonly meta: Table
  readonly changes: Table
  readonly head: Table
}

/** @throws Error when a newer version has written the store. */
export function bringForward(root: Root, tables: Tables): void {
  root.transactionSync(() => {
    const { meta } = tables
    const stamp = meta.getBinary(FORMAT_KEY)
    const format = stamp ? readNumber(stamp) : undefined
    if (format === FORMAT) return
    if (format !== undefined && format > FORMAT)
      throw new Error(`it has format ${format}; this version of strongroom reads formats up to ${FORMAT}`)
    // Without a stamp it is empty or of format 1.
    if (format === undefined || format === 1) dropSingles(tables)
    moveHead(tables)
    unheeded(meta.put(FORMAT_KEY, numberBytes(FORMAT)))
  })
}

/** No process reads these any more once all processes have been restarted. */
function dropSingles({ meta, changes }: Tables): void {
  for (const table of [meta, changes]) {
    for (const key of [...table.getKeys({ start: Buffer.from([0]) })])
      if (table === changes || key.toString('utf8').startsWith('verdict/')) unheeded(table.remove(key))
  }
}

/** Each transaction had a slot of its own, so the next slot has the number of the next transaction. */
function moveHead({ meta, head }: Tables): void {
  const old = meta.getBinary(HEAD_KEY)
  if (!old) return
  const [revision, transactions] = [readNumber(old), readNumber(old, 8)]
  unheeded(head.put(HEAD_KEY, headBytes({ revision, transactions, slots: transactions, lines: '' })))
  unheeded(meta.put(HEAD_KEY, LAST_HEAD))
}
