// @ts-check
/** Background work. */
import { source } from '../api.js'
import { badge, code } from '../dom.js'
import { count, text, time } from '../format.js'
import { notOffered, section } from '../notices.js'
import { pagedTable, pagesOf } from '../paged-table.js'

/** @typedef {import('../api.js').Json} Json */

/** @type {Readonly<Record<string, string>>} */
const LANES = {
  rotation: 'rotates keys',
  revocation: 'ends tokens',
  lease: 'ends leases',
  housekeeping: 'deletes records',
  credential: 'changes passwords in outside systems',
  intent: 'finishes calls of outside systems',
  sync: 'copies secrets to external stores',
  reconciliation: 'corrects derived records',
}

/** The status counts no further than this. */
const MAX_COUNTED = 1000

/** @type {import('../tables.js').Column<Json>[]} */
const DUE = [
  { title: 'Queue', cell: ({ lane }) => lane },
  { title: 'Work', cell: ({ lane }) => text(LANES[lane]) },
  {
    title: 'Due',
    kind: 'number',
    cell: ({ due }) => (due === 0 ? '0' : badge('warn', due >= MAX_COUNTED ? `${count(due)} or more` : count(due))),
  },
  {
    title: 'Scheduled',
    kind: 'number',
    cell: ({ scheduled }) => (scheduled >= MAX_COUNTED ? `${count(scheduled)} or more` : count(scheduled)),
  },
  { title: 'Next', cell: ({ next_due_at: at }) => time(at) },
]

/** @type {import('../tables.js').Column<Json>[]} */
const FAILED = [
  { title: 'Item', kind: 'wide', cell: ({ id }) => code(id) },
  { title: 'Queue', cell: ({ lane }) => lane },
  { title: 'Mount', kind: 'name', cell: ({ namespace, mount }) => code(text(namespace + mount)) },
  { title: 'Error', cell: ({ code: name }) => badge('bad', name) },
  { title: 'Attempt', kind: 'number', cell: ({ attempt }) => count(attempt) },
  { title: 'Failed', cell: ({ failed_at: at }) => time(at) },
  { title: 'Next attempt', cell: ({ next_attempt: at }) => time(at) },
]

/** @type {import('../tables.js').Column<Json>[]} */
const CLAIMS = [
  { title: 'Queue', cell: ({ lane }) => lane },
  { title: 'Mount', kind: 'name', cell: ({ path, mount }) => code(path ?? mount) },
  { title: 'Process', kind: 'name', cell: ({ owner }) => code(owner) },
  { title: 'Since', cell: ({ since }) => time(since) },
]

/**
 * @param {import('../app.js').ViewContext} context
 * @returns {import('../app.js').View}
 */
export function workView({ signal }) {
  const loading = source('status', { signal })
  /**
   * @param {string} title
   * @param {string} member
   * @param {import('../tables.js').Column<Json>[]} columns
   * @param {string} empty
   * @param {string} intro
   */
  const part = (title, member, columns, empty, intro) =>
    section(
      title,
      async () => {
        const status = await loading
        return status ? pagedTable({ caption: title, columns, load: pagesOf(status[member] ?? []), empty }) : notOffered(title)
      },
      intro,
    )
  return {
    title: 'Background work',
    content: [
      part(
        'Failed work',
        'failed',
        FAILED,
        'No work has failed in this process.',
        'It is tried again until it succeeds. The list has at most 100 items of this process.',
      ),
      part(
        'Due work',
        'due',
        DUE,
        'The server does no background work now.',
        'Work is due for a moment only. If a number stays, work fails or no process does it.',
      ),
      part('Claims', 'claims', CLAIMS, 'No process has a claim.', 'The process that does the work of a queue in a mount.'),
    ],
  }
}
