/** The format of an LMDB store. */
import { numberBytes, readNumber } from './bytes.ts'
import { ignoreRejection, type Root, type Table } from './driver.ts'

/** Increased when older versions of strongroom can no longer read what this version writes. */
const FORMAT = 1
const FORMAT_KEY = Buffer.from('format')

/** Writes the format of a new store. @throws Error if a newer version of strongroom wrote the store. */
export function stampFormat(root: Root, meta: Table): void {
  root.transactionSync(() => {
    const stamp = meta.getBinary(FORMAT_KEY)
    if (!stamp) {
      ignoreRejection(meta.put(FORMAT_KEY, numberBytes(FORMAT)))
      return
    }
    const format = readNumber(stamp)
    if (format !== FORMAT) throw new Error(`it has format ${format}; this version of strongroom reads formats up to ${FORMAT}`)
  })
}
