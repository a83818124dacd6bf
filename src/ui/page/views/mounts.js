// @ts-check
import { read } from '../api.js'
import { code, el } from '../dom.js'
import { duration, text, yesNo } from '../format.js'
import { section } from '../notices.js'
import { filteredTable } from '../paged-table.js'
import { routeTo } from '../routes.js'

/** @typedef {import('../api.js').Json} Json */

/** @type {import('../tables.js').Column<Json>[]} */
const COLUMNS = [
  {
    title: 'Path',
    kind: 'name',
    cell: ({ path, type }) => (type === 'transit' ? el('a', { href: routeTo('keys', path) }, code(path)) : code(path)),
  },
  { title: 'Type', cell: ({ type, options }) => (options?.version ? `${type}, version ${options.version}` : type) },
  { title: 'Description', kind: 'wide', cell: ({ description }) => text(description) },
  { title: 'Lease time', cell: ({ config }) => leaseTime(config ?? {}) },
  { title: 'Replicated', cell: ({ local }) => yesNo(!local) },
  { title: 'Accessor', kind: 'name', cell: ({ accessor }) => code(text(accessor)) },
]

/** @param {Json} config */
function leaseTime({ default_lease_ttl: usual, max_lease_ttl: most }) {
  const of = (/** @type {number} */ seconds) => (seconds > 0 ? duration(seconds) : 'default')
  return usual || most ? `${of(usual)}, at most ${of(most)}` : 'default'
}

/**
 * @param {import('../app.js').ViewContext} context
 * @returns {import('../app.js').View}
 */
export function mountsView({ signal }) {
  const loading = read('sys/internal/ui/mounts', { signal })
  const show = async (/** @type {'secret' | 'auth'} */ kind, /** @type {string} */ caption) => {
    const mounts = Object.entries((await loading)[kind] ?? {}).map(([path, mount]) => ({
      ...mount,
      path: kind === 'auth' ? `auth/${path}` : path,
    }))
    return filteredTable({
      caption,
      columns: COLUMNS,
      rows: mounts,
      empty: 'No mount is visible to your token.',
      textOf: ({ path, type, description }) => `${path} ${type} ${description}`,
    })
  }
  return {
    title: 'Mounts',
    content: [
      section('Secrets engines', () => show('secret', 'Secrets engines')),
      section('Auth methods', () => show('auth', 'Auth methods')),
    ],
  }
}
