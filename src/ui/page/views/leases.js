// @ts-check
/** Leases, the next to expire first. */
import { read, source } from '../api.js'
import { badge, code, el } from '../dom.js'
import { time, yesNo } from '../format.js'
import { notOffered, section } from '../notices.js'
import { pagedTable, pagesOf } from '../paged-table.js'
import { leaseFolder } from './lease-folders.js'

/** @typedef {import('../api.js').Json} Json */

/** @type {import('../tables.js').Column<Json>[]} */
const BY_EXPIRY = [
  { title: 'Lease', kind: 'wide', cell: ({ lease_id: id, namespace }) => code(namespace + id) },
  { title: 'Expires', cell: ({ expire_time: at }) => time(at) },
  { title: 'Issued', cell: ({ issue_time: at }) => time(at) },
  { title: 'Renewable', cell: ({ renewable }) => yesNo(renewable) },
  { title: 'State', kind: 'name', cell: ({ state, attempts }) => badge(stateTone(state, attempts), stateText(state, attempts)) },
]

/** @type {import('../tables.js').Column<Json>[]} */
const IRREVOCABLE = [
  { title: 'Lease', kind: 'wide', cell: ({ lease_id: id }) => code(id) },
  { title: 'Mount', cell: ({ mount_id: accessor }) => code(accessor) },
  { title: 'Error', kind: 'wide', cell: ({ error }) => error },
]

/** @param {string} state @param {number} attempts */
const stateTone = (state, attempts) => (state === 'live' ? 'good' : state === 'irrevocable' || attempts > 0 ? 'bad' : 'warn')

/** @param {string} state @param {number} attempts */
const stateText = (state, attempts) =>
  state === 'live'
    ? 'valid'
    : state === 'irrevocable'
      ? 'irrevocable'
      : attempts > 0
        ? `revoking, ${attempts} failed`
        : 'revoking'

/**
 * @param {import('../app.js').ViewContext} context
 * @returns {import('../app.js').View}
 */
export function leasesView({ names: [folder = ''], signal }) {
  return {
    title: 'Leases',
    content: [
      section('Next to expire', () => byExpiry(signal), 'Leases of secrets in all namespaces. Leases of tokens are not listed.'),
      section(
        'Irrevocable',
        () => irrevocable(signal),
        'The secret may still be valid in the outside system, because revoking it failed.',
      ),
      section('By path', () => leaseFolder(folder, signal), 'Valid leases of the chosen namespace, those of tokens included.'),
    ],
  }
}

/** @param {AbortSignal} signal */
async function byExpiry(signal) {
  const first = await source('leases', { signal })
  if (!first) return notOffered('Leases by expiry')
  const load = async (/** @type {string | undefined} */ after) => {
    const page = after === undefined ? first : ((await source('leases', { after, signal })) ?? {})
    return { rows: page['leases'] ?? [], next: page['next'] }
  }
  return pagedTable({ caption: 'Leases by expiry', columns: BY_EXPIRY, load, empty: 'There are no leases of secrets.' })
}

const MAX_IRREVOCABLE = 1000

/** @param {AbortSignal} signal */
async function irrevocable(signal) {
  const { leases = [] } = await read('sys/leases', { query: { type: 'irrevocable', limit: String(MAX_IRREVOCABLE) }, signal })
  const rest = leases.length === MAX_IRREVOCABLE && el('p', { class: 'intro' }, `Only the first ${MAX_IRREVOCABLE} are listed.`)
  return [
    rest,
    await pagedTable({
      caption: 'Irrevocable leases',
      columns: IRREVOCABLE,
      load: pagesOf(leases),
      empty: 'All revocations succeeded.',
    }),
  ]
}
