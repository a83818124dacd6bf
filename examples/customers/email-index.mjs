/**
 * A blind index: finds a customer by e-mail address in the encrypted file without decrypting it. Equal addresses have equal HMACs, and
 * a reader without the key cannot test guesses of addresses. The key of the index is not rotated, because an HMAC under one key does not
 * find HMACs under another.
 */
import { columnOf } from './sensitive-cells.mjs'

export const INDEX_KEY = 'customers-index'
export const INDEX_COLUMN = 'email_index'
const CELLS_PER_CALL = 1000

const utf8 = new TextEncoder()

/** The form in which addresses are compared. */
const normalized = (address) => utf8.encode(address.trim().toLowerCase())

/** Computes the index column of a table in clear text; the first item is the name of the column. Rows without an address are not in the index. */
export async function indexColumn(kernel, [header, ...rows]) {
  const email = columnOf(header, 'email')
  const addresses = rows.map((row) => row[email])
  const column = [INDEX_COLUMN]
  for (let from = 0; from < addresses.length; from += CELLS_PER_CALL) {
    const part = addresses.slice(from, from + CELLS_PER_CALL)
    const { batch_results } = await kernel.transit.hmacBatch({
      name: INDEX_KEY,
      batch_input: part.map((address) => ({ input: normalized(address) })),
    })
    batch_results.forEach((result, index) => {
      if (result.error) throw result.error
      column.push(part[index] === '' ? '' : result.hmac)
    })
  }
  return column
}

/** Returns the number of the row with that address, or -1. */
export async function findByEmail(kernel, rows, address) {
  const { hmac } = await kernel.transit.hmac({ name: INDEX_KEY, input: normalized(address) })
  const column = columnOf(rows[0], INDEX_COLUMN)
  return rows.findIndex((row, index) => index > 0 && row[column] === hmac)
}
