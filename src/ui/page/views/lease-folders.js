// @ts-check
/** The leases below a path. */
import { list, read } from '../api.js'
import { code, el } from '../dom.js'
import { time, yesNo } from '../format.js'
import { PAGE, pagedTable } from '../paged-table.js'
import { routeTo } from '../routes.js'

/** @typedef {import('../api.js').Json} Json */

/** @type {import('../tables.js').Column<{ path: string, name: string, details: Promise<Json> | undefined }>[]} */
const COLUMNS = [
  {
    title: 'Name',
    kind: 'wide',
    cell: ({ path, name, details }) => (details ? code(name) : el('a', { href: routeTo('leases', path) }, code(name))),
  },
  { title: 'Expires', cell: async ({ details }) => (details ? expiry((await details)['expire_time']) : 'folder') },
  { title: 'Issued', cell: async ({ details }) => (details ? time((await details)['issue_time']) : '') },
  { title: 'Renewable', cell: async ({ details }) => (details ? yesNo((await details)['renewable']) : '') },
]

/** @param {string | null} at */
const expiry = (at) => (at === null ? 'never' : time(at))

/**
 * @param {string} folder Empty or with a trailing slash.
 * @param {AbortSignal} signal
 */
export async function leaseFolder(folder, signal) {
  const names = await list(`sys/leases/lookup/${folder}`, { signal })
  // The API returns all names at once; each page of the table looks up only its own leases.
  const load = async (/** @type {string} */ after = '0') => {
    const from = Number(after)
    const rows = names.slice(from, from + PAGE).map((name) => {
      const path = folder + name
      const details = name.endsWith('/')
        ? undefined
        : read('sys/leases/lookup', { method: 'POST', body: { lease_id: path }, signal })
      details?.catch(() => {})
      return { path, name, details }
    })
    return { rows, next: from + PAGE < names.length ? String(from + PAGE) : undefined }
  }
  return [
    breadcrumbs(folder),
    await pagedTable({ caption: 'Leases by path', columns: COLUMNS, load, empty: 'There are no valid leases below this path.' }),
  ]
}

/** @param {string} folder */
function breadcrumbs(folder) {
  if (folder === '') return undefined
  const parts = folder.split('/').filter((part) => part !== '')
  const links = parts.map((part, at) =>
    el('li', {}, el('a', { href: routeTo('leases', `${parts.slice(0, at + 1).join('/')}/`) }, part)),
  )
  return el(
    'ol',
    { class: 'crumbs', 'aria-label': 'Path of leases' },
    el('li', {}, el('a', { href: routeTo('leases') }, 'All leases')),
    ...links,
  )
}
