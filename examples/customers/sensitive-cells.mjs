/**
 * Encrypts, decrypts and rewraps the sensitive columns of a table, many cells per call.
 *
 * Associated data, `customers/<id>/<column>`, binds every cell to its position: a ciphertext that was moved to another row, column or
 * table cannot be decrypted. Empty cells are encrypted too; otherwise a reader of the file could see which customers have no phone.
 */

export const KEY = 'customers'
const SENSITIVE = ['name', 'email', 'phone', 'iban', 'note']
const ID = 'id'

/** A call with 1,000 cells takes about 10 ms. The kernel pauses during the call, so the event loop is not blocked. */
const CELLS_PER_CALL = 1000

const utf8 = new TextEncoder()
const text = new TextDecoder('utf-8', { fatal: true })

export const encryptCells = (kernel, rows, onProgress) =>
  mapCells(rows, onProgress, {
    toItem: (cell) => ({ plaintext: utf8.encode(cell) }),
    call: (batch_input) => kernel.transit.encryptBatch({ name: KEY, batch_input }),
    toCell: (result) => result.ciphertext,
  })

export const decryptCells = (kernel, rows, onProgress) =>
  mapCells(rows, onProgress, {
    toItem: (cell) => ({ ciphertext: cell }),
    call: (batch_input) => kernel.transit.decryptBatch({ name: KEY, batch_input }),
    toCell: (result) => text.decode(result.plaintext),
  })

/** Encrypts the cells again under the newest key version. No plaintext leaves the kernel. */
export const rewrapCells = (kernel, rows, onProgress) =>
  mapCells(rows, onProgress, {
    toItem: (cell) => ({ ciphertext: cell }),
    call: (batch_input) => kernel.transit.rewrapBatch({ name: KEY, batch_input }),
    toCell: (result) => result.ciphertext,
  })

/** Returns the sensitive cells of a table. The first row of the table has the names of the columns. */
export function sensitiveCells([header, ...rows]) {
  const columns = SENSITIVE.map((name) => columnOf(header, name))
  const id = columnOf(header, ID)
  return rows.flatMap((row, index) =>
    columns.map((column) => ({ row: index + 1, column, bound: `${row[id]}/${header[column]}` })),
  )
}

/** @throws Error */
export function columnOf(header, name) {
  const column = header?.indexOf(name) ?? -1
  if (column < 0) throw new Error(`the table has no column ${name}`)
  return column
}

/** Returns a copy of the table in which every sensitive cell is replaced. @throws Error with the position of a cell that was refused */
async function mapCells(rows, onProgress, { toItem, call, toCell }) {
  const cells = sensitiveCells(rows)
  const mapped = rows.map((row) => row.slice())
  for (let from = 0; from < cells.length; from += CELLS_PER_CALL) {
    const part = cells.slice(from, from + CELLS_PER_CALL)
    const { batch_results } = await call(
      part.map(({ row, column, bound }) => ({
        ...toItem(rows[row][column]),
        associated_data: utf8.encode(`customers/${bound}`),
      })),
    )
    batch_results.forEach((result, index) => {
      const { row, column, bound } = part[index]
      // In a batch, a failed item does not affect the others. Here the whole table must fail.
      if (result.error) throw new Error(`cell ${bound}: ${result.error.message}`, { cause: result.error })
      mapped[row][column] = toCell(result)
    })
    onProgress?.(from + part.length, cells.length)
  }
  return mapped
}
