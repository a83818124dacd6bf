// @ts-check
/** Tables in pages, so that a long list never becomes a long document. */
import { button, el, fill } from './dom.js'
import { count } from './format.js'
import { explain, notice } from './notices.js'
import { table } from './tables.js'

export const PAGE = 100

/**
 * @template R
 * @typedef {object} Page
 * @property {readonly R[]} rows
 * @property {string | undefined} next Where the next page begins; undefined on the last page.
 * @property {string} [summary] What the page shows, such as `101 to 200 of 3,000`.
 */

/**
 * @template R
 * @param {object} options
 * @param {string} options.caption
 * @param {readonly import('./tables.js').Column<R>[]} options.columns
 * @param {(after: string | undefined) => Promise<Page<R>>} options.load
 * @param {string} options.empty The text instead of a table without rows.
 * @returns {Promise<HTMLElement>} Resolves when the first page is loaded.
 */
export async function pagedTable({ caption, columns, load, empty }) {
  /** @type {(string | undefined)[]} Where the pages up to the shown one begin. */
  const starts = [undefined]
  const content = el('div', {})
  const position = el('span', { class: 'position', role: 'status' })
  const previous = button('Previous page', () => turn(-1))
  const next = button('Next page', () => turn(1))
  const pager = el('div', { class: 'pager', role: 'group', 'aria-label': `Pages of ${caption}` }, previous, position, next)
  /** @type {string | undefined} */
  let following

  /** @param {-1 | 1} direction */
  async function turn(direction) {
    previous.disabled = next.disabled = true
    const [before, after] = [[...starts], following]
    if (direction === 1) starts.push(after)
    else starts.pop()
    try {
      await show()
    } catch (error) {
      starts.splice(0, starts.length, ...before)
      following = after
      fill(content, notice('warn', explain(error)))
      update('')
    }
    // A disabled button loses the focus.
    const pressed = direction === 1 ? next : previous
    ;(pressed.disabled ? (direction === 1 ? previous : next) : pressed).focus()
  }

  /** @param {string | undefined} summary */
  function update(summary) {
    previous.disabled = starts.length === 1
    next.disabled = following === undefined
    pager.hidden = previous.disabled && next.disabled
    position.textContent = summary ?? `Page ${count(starts.length)}`
  }

  async function show() {
    const page = await load(starts.at(-1))
    following = page.next
    const isEmpty = page.rows.length === 0 && starts.length === 1 && following === undefined
    fill(content, isEmpty ? el('p', { class: 'empty' }, empty) : table(caption, columns, page.rows))
    update(page.summary)
  }

  await show()
  return el('div', { class: 'paged' }, content, pager)
}

/**
 * Divides a complete list into pages.
 * @template R
 * @param {readonly R[]} all
 * @returns {(after: string | undefined) => Promise<Page<R>>}
 */
export const pagesOf =
  (all) =>
  async (after = '0') => {
    const from = Number(after)
    const to = Math.min(from + PAGE, all.length)
    const summary = `${count(from + 1)} to ${count(to)} of ${count(all.length)}`
    return { rows: all.slice(from, to), next: to < all.length ? String(to) : undefined, summary }
  }

/**
 * A list with a text field that selects the rows that contain a text.
 * @template R
 * @param {{ caption: string, columns: readonly import('./tables.js').Column<R>[], rows: readonly R[], empty: string, textOf: (row: R) => string }} options
 */
export async function filteredTable({ caption, columns, rows, empty, textOf }) {
  const content = el('div', {})
  const show = async (/** @type {string} */ wanted) => {
    const found = wanted === '' ? rows : rows.filter((row) => textOf(row).toLowerCase().includes(wanted.toLowerCase()))
    const none = rows.length === 0 ? empty : 'No row contains this text.'
    fill(content, await pagedTable({ caption, columns, load: pagesOf(found), empty: none }))
  }
  await show('')
  if (rows.length <= 10) return content
  const input = el('input', { type: 'search', 'aria-label': `Filter ${caption}`, placeholder: 'Filter', autocomplete: 'off' })
  input.addEventListener('input', () => void show(input.value))
  return el('div', {}, el('div', { class: 'filter' }, input), content)
}
