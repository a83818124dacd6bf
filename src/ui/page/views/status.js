// @ts-check
/** The state of the server, and what needs attention. */
import { call, read, source } from '../api.js'
import { badge, code, el, facts } from '../dom.js'
import { count, serverNow, text, time, yesNo } from '../format.js'
import { notice, notOffered, section } from '../notices.js'
import { routeTo } from '../routes.js'

/** @typedef {import('../api.js').Json} Json */

/**
 * @param {import('../app.js').ViewContext} context
 * @returns {import('../app.js').View}
 */
export function statusView({ signal }) {
  const server = Promise.all([
    call('sys/health', { namespace: '', signal }),
    call('sys/seal-status', { namespace: '', signal }).catch(() => ({})),
    call('sys/leader', { namespace: '', signal }).catch(() => ({})),
  ])
  const status = source('status', { signal })
  const replication = read('sys/replication/status', { namespace: '', signal }).catch(() => ({}))
  return {
    title: 'Status',
    content: [
      section('Attention', async () => attention((await server)[0], await status.catch(() => undefined), await replication)),
      section('Server', async () => serverFacts(...(await server))),
      section('Process and storage', async () => {
        const shown = await status
        return shown ? processFacts(shown) : notOffered('Process and storage')
      }),
    ],
  }
}

/**
 * @param {Json} health
 * @param {Json | undefined} status
 * @param {Json} replication
 */
function attention(health, status, replication) {
  const { failed = [], due = [], storage = {} } = status ?? {}
  // Work is often due for a moment. It is overdue if no process has done it for a minute.
  const overdue = due.filter(
    (/** @type {Json} */ { due: items, next_due_at: at }) => items > 0 && Date.parse(at) < serverNow() - 60_000,
  )
  const items = [
    health['sealed'] && el('li', {}, badge('bad', 'sealed'), ' The server answers no requests until it is unsealed.'),
    health['storage'] === 'unavailable' && el('li', {}, badge('bad', 'storage'), ' The storage does not answer.'),
    storage['risk'] && el('li', {}, badge('warn', 'storage'), ` ${storage['risk']}`),
    status && !storage['durable'] && el('li', {}, badge('warn', 'storage'), ' The storage keeps no data when the process ends.'),
    failed.length > 0 &&
      el(
        'li',
        {},
        badge('bad', 'work'),
        ' ',
        el('a', { href: routeTo('work') }, `${count(failed.length)} failed`),
        ' in the background.',
      ),
    overdue.length > 0 &&
      el(
        'li',
        {},
        badge('warn', 'work'),
        ' Work is overdue: ',
        el('a', { href: routeTo('work') }, overdue.map((/** @type {Json} */ { lane }) => lane).join(', ')),
        '.',
      ),
    ...['performance', 'dr'].map((kind) => {
      const error = replication[kind]?.['last_error']
      return (
        error && el('li', {}, badge('bad', 'replication'), ' ', el('a', { href: routeTo('replication') }, kind), `: ${error}`)
      )
    }),
  ].filter((item) => item)
  return items.length === 0
    ? notice('info', 'Nothing that this page can see needs attention.')
    : el('ul', { class: 'attention' }, ...items)
}

/**
 * @param {Json} health
 * @param {Json} seal
 * @param {Json} leader
 */
function serverFacts(health, seal, leader) {
  return facts([
    ['State', health['sealed'] ? badge('bad', 'sealed') : badge('good', 'unsealed')],
    ['Version', health['version']],
    ['Seal', text(seal['type'])],
    seal['sealed'] && seal['t'] > 0 && ['Shares entered', `${seal['progress']} of ${seal['t']}`],
    ['Storage', `${text(seal['storage_type'])}, ${health['storage']}`],
    ['High availability', leader['ha_enabled'] ? 'enabled' : 'all processes of the store are active'],
    ['Performance replication', text(health['replication_performance_mode'])],
    ['Disaster recovery', text(health['replication_dr_mode'])],
    ['Cluster', text(health['cluster_name'])],
    ['Cluster id', code(text(health['cluster_id']))],
    ['Server time', time(health['server_time_utc'])],
  ])
}

/** @param {Json} status */
function processFacts({ id, state, shared, storage, applied_revision: revision, cache }) {
  return facts([
    ['Process id', code(id)],
    ['State', state],
    ['Store shared', shared ? 'other processes may write to it' : 'only this process writes to it'],
    ['Survives a crash', yesNo(storage.durable)],
    storage.risk && ['Risk', storage.risk],
    ['Storage answers', storage.available ? badge('good', 'yes') : badge('bad', 'no')],
    storage.unavailable_since && ['Does not answer since', time(storage.unavailable_since)],
    ['Applied revision', count(revision)],
    [
      'Cached data',
      `${cache.ageMs === undefined ? 'of unknown age' : `${count(Math.round(cache.ageMs))} ms old`}, limit ${count(cache.stalenessMs)} ms`,
    ],
  ])
}
