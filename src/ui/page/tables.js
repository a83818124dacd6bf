// @ts-check
/** Tables. On narrow screens each row is a card, so the roles of a table are explicit and each cell has the name of its column. */
import { el, fill } from './dom.js'

/** @typedef {import('./dom.js').Child} Child */

/**
 * @template R
 * @typedef {object} Column
 * @property {string} title
 * @property {(row: R) => Child | Promise<Child>} cell A promise fills the cell later.
 * @property {'number' | 'name' | 'wide'} [kind] `number` aligns to the right; `name` is never narrower than a short name.
 */

/**
 * @template R
 * @param {string} caption Read by screen readers.
 * @param {readonly Column<R>[]} columns The cell of the first column is the header of its row.
 * @param {readonly R[]} rows
 */
export function table(caption, columns, rows) {
  const head = columns.map(({ title, kind }) => el('th', { scope: 'col', role: 'columnheader', class: kind }, title))
  return el(
    'table',
    { role: 'table' },
    el('caption', { class: 'hidden-text' }, caption),
    el('thead', { role: 'rowgroup' }, el('tr', { role: 'row' }, ...head)),
    el('tbody', { role: 'rowgroup' }, ...rows.map((row) => line(columns, row))),
  )
}

/**
 * @template R
 * @param {readonly Column<R>[]} columns
 * @param {R} row
 */
function line(columns, row) {
  const cells = columns.map(({ title, kind, cell }, at) => {
    const box = el('div', { class: 'value' })
    const content = cell(row)
    if (content instanceof Promise) {
      fill(box, el('span', { class: 'loading' }, '…'))
      content.then(
        (loaded) => fill(box, loaded),
        () => fill(box, '–'),
      )
    } else fill(box, content)
    const label = el('span', { class: 'label', 'aria-hidden': 'true' }, title)
    return at === 0
      ? el('th', { scope: 'row', role: 'rowheader', class: kind }, label, box)
      : el('td', { role: 'cell', class: kind }, label, box)
  })
  return el('tr', { role: 'row' }, ...cells)
}
