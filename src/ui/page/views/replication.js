// @ts-check
/** Both kinds of replication, with the state of each peer. */
import { read } from '../api.js'
import { badge, code, facts } from '../dom.js'
import { count, text, time } from '../format.js'
import { notice, section } from '../notices.js'
import { pagedTable, pagesOf } from '../paged-table.js'

/** @typedef {import('../api.js').Json} Json */

/** @type {import('../tables.js').Column<Json>[]} */
const SECONDARIES = [
  { title: 'Secondary', kind: 'name', cell: ({ node_id: id }) => code(id) },
  { title: 'Connection', cell: ({ connection_status: state }) => connection(state) },
  { title: 'Lag', kind: 'number', cell: ({ lag }) => lagOf(lag) },
  { title: 'Last heartbeat', cell: ({ last_heartbeat: at }) => (at ? time(at) : 'none yet') },
  { title: 'API address', kind: 'name', cell: ({ api_address: address }) => code(text(address)) },
  { title: 'Cluster address', cell: ({ cluster_address: address }) => code(text(address)) },
]

/** @type {import('../tables.js').Column<Json>[]} */
const PRIMARIES = [
  { title: 'Primary', kind: 'name', cell: ({ cluster_address: address }) => code(text(address)) },
  { title: 'Connection', cell: ({ connection_status: state }) => connection(state) },
  { title: 'Last heartbeat', cell: ({ last_heartbeat: at }) => (at ? time(at) : 'none yet') },
  { title: 'API address', kind: 'name', cell: ({ api_address: address }) => code(text(address)) },
]

/** The connection of a secondary that has not sent a message yet. */
const NEVER = 'not yet'

/** @param {string | undefined} state */
const connection = (state) => badge(state === 'connected' ? 'good' : state === NEVER ? 'plain' : 'bad', text(state))

/** @param {number | undefined} lag */
const lagOf = (lag) => (lag === undefined ? '–' : lag === 0 ? 'none' : badge('warn', `${count(lag)} commits`))

/**
 * @param {import('../app.js').ViewContext} context
 * @returns {import('../app.js').View}
 */
export function replicationView({ signal }) {
  const loading = read('sys/replication/status', { namespace: '', signal })
  return {
    title: 'Replication',
    content: [
      section('Performance', async () => kind('Performance', (await loading)['performance'] ?? {})),
      section('Disaster recovery', async () => kind('Disaster recovery', (await loading)['dr'] ?? {})),
    ],
  }
}

/**
 * @param {string} name
 * @param {Json} status
 */
async function kind(name, status) {
  if (status['mode'] === 'disabled') return notice('info', 'Disabled. This cluster is in no set of clusters.')
  return [status['last_error'] && notice('bad', status['last_error']), overview(status), await peers(name, status)]
}

/** @param {Json} status */
function overview(status) {
  const { progress, reindex, merkle_check: check } = status
  return facts([
    ['Role', badge('plain', status['mode'])],
    ['State', text(status['state'])],
    status['connection_state'] && [
      'Connection',
      badge(status['connection_state'] === 'ready' ? 'good' : 'bad', status['connection_state']),
    ],
    status['lag'] !== undefined && ['Lag', lagOf(status['lag'])],
    status['secondary_id'] && ['Id of this secondary', code(status['secondary_id'])],
    ['Set', code(text(status['cluster_id']))],
    ['Newest log entry', count(status['last_wal'])],
    status['last_remote_wal'] !== undefined && ['Applied log entry of the primary', count(status['last_remote_wal'])],
    ['Merkle root', code(text(status['merkle_root']))],
    status['corrupted_merkle_tree'] && ['Merkle tree', badge('bad', 'wrong hashes')],
    status['lost_writes'] > 0 && ['Lost writes', badge('bad', count(status['lost_writes']))],
    progress && ['Synchronization', JSON.stringify(progress)],
    reindex && ['Reindex', JSON.stringify(reindex)],
    check && ['Merkle check', JSON.stringify(check)],
  ])
}

/**
 * @param {string} name
 * @param {Json} status
 */
function peers(name, status) {
  if (status['mode'] === 'secondary')
    return pagedTable({
      caption: `Primaries (${name})`,
      columns: PRIMARIES,
      load: pagesOf(status['primaries'] ?? []),
      empty: 'No primary is known.',
    })
  const heard = status['secondaries'] ?? []
  const ids = new Set(heard.map((/** @type {Json} */ { node_id: id }) => id))
  // A secondary for which a token was created, and which has not sent a message yet.
  const silent = (status['known_secondaries'] ?? []).filter((/** @type {string} */ id) => !ids.has(id))
  const rows = [...heard, ...silent.map((/** @type {string} */ id) => ({ node_id: id, connection_status: NEVER }))]
  return pagedTable({
    caption: `Secondaries (${name})`,
    columns: SECONDARIES,
    load: pagesOf(rows),
    empty: 'There are no secondaries.',
  })
}
