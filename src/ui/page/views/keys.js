// @ts-check
/** The keys of a transit mount. */
import { list, read } from '../api.js'
import { badge, code, el, field, form, select } from '../dom.js'
import { count, duration, time } from '../format.js'
import { section } from '../notices.js'
import { PAGE, pagedTable } from '../paged-table.js'
import { routeTo } from '../routes.js'

/** @typedef {import('../api.js').Json} Json */
/** @typedef {{ mount: string, name: string, details: Promise<Json> }} KeyRow */

/** @type {import('../tables.js').Column<KeyRow>[]} */
const COLUMNS = [
  { title: 'Key', kind: 'name', cell: ({ mount, name }) => el('a', { href: routeTo('key', mount, name) }, code(name)) },
  { title: 'Type', cell: async ({ details }) => (await details)['type'] },
  { title: 'Version', kind: 'number', cell: async ({ details }) => count((await details)['latest_version']) },
  { title: 'Oldest to decrypt', kind: 'number', cell: async ({ details }) => count((await details)['min_decryption_version']) },
  { title: 'Oldest to encrypt', kind: 'number', cell: async ({ details }) => minimumToEncrypt(await details) },
  { title: 'Rotated', cell: async ({ details }) => time(createdAt(await details)) },
  { title: 'Rotates every', cell: async ({ details }) => periodOf(await details) },
  { title: 'Next rotation', cell: async ({ details }) => nextRotation(await details) },
]

/** @param {Json} key */
export const minimumToEncrypt = ({ min_encryption_version: minimum, latest_version: latest }) =>
  minimum > 0 ? count(minimum) : `${count(latest)} (latest)`

/** The creation time of the latest version, in seconds since 1970. @param {Json} key */
export function createdAt({ keys = {}, latest_version: latest }) {
  const version = keys[latest]
  return typeof version === 'object' ? Date.parse(version.creation_time) / 1000 : version
}

/** @param {Json} key */
export const periodOf = ({ auto_rotate_period: period }) => (period > 0 ? duration(period) : 'never')

/** @param {Json} key */
export function nextRotation(key) {
  if (key['soft_deleted']) return badge('warn', 'soft-deleted')
  if (!(key['auto_rotate_period'] > 0) || key['imported_key_allow_rotation'] === false) return '–'
  return time(createdAt(key) + key['auto_rotate_period'])
}

/**
 * Runs at most six calls at the same time.
 * @returns {<T>(act: () => Promise<T>) => Promise<T>}
 */
function limiter() {
  let running = 0
  /** @type {(() => void)[]} */
  const waiting = []
  return async (act) => {
    if (running >= 6) await new Promise((resolve) => waiting.push(() => resolve(undefined)))
    running++
    try {
      return await act()
    } finally {
      running--
      waiting.shift()?.()
    }
  }
}

/**
 * @param {import('../app.js').ViewContext} context
 * @returns {import('../app.js').View}
 */
export function keysView({ names: [chosen], signal }) {
  return {
    title: 'Keys',
    content: [section(chosen === undefined ? 'Encryption keys' : `Keys of ${chosen}`, () => keysOf(chosen, signal))],
  }
}

/**
 * @param {string | undefined} chosen
 * @param {AbortSignal} signal
 */
async function keysOf(chosen, signal) {
  const { secret = {} } = await read('sys/internal/ui/mounts', { signal })
  const mounts = Object.keys(secret).filter((path) => secret[path].type === 'transit')
  if (chosen !== undefined && !mounts.includes(chosen)) mounts.unshift(chosen)
  const mount = chosen ?? (mounts.includes('transit/') ? 'transit/' : mounts[0])
  if (mount === undefined) return el('p', { class: 'empty' }, 'Your token sees no transit mount.')
  const limit = limiter()
  const load = async (/** @type {string | undefined} */ after) => {
    const query = { limit: String(PAGE + 1), ...(after === undefined ? {} : { after }) }
    const found = await list(`${mount}keys`, { query, signal })
    const rows = found.slice(0, PAGE).map((name) => {
      const details = limit(() => read(`${mount}keys/${name}`, { signal }))
      // Each cell shows a refusal on its own.
      details.catch(() => {})
      return { mount, name, details }
    })
    return { rows, next: found.length > PAGE ? rows.at(-1)?.name : undefined }
  }
  return [
    el('div', { class: 'tools' }, mountChoice(mounts, mount), openKey(mount)),
    await pagedTable({ caption: `Keys of ${mount}`, columns: COLUMNS, load, empty: 'This mount has no keys.' }),
  ]
}

/**
 * @param {readonly string[]} mounts
 * @param {string} mount
 */
function mountChoice(mounts, mount) {
  const control = select(
    'mount',
    mounts.map((path) => [path, path]),
    mount,
  )
  control.addEventListener('change', () => {
    location.hash = routeTo('keys', control.value)
  })
  return field('Mount', control)
}

/** @param {string} mount */
function openKey(mount) {
  const name = el('input', { type: 'text', name: 'name', autocomplete: 'off', spellcheck: 'false', required: true })
  const open = () => {
    location.hash = routeTo('key', mount, name.value.trim())
  }
  return form(open, { class: 'inline' }, field('Key name', name), el('button', { type: 'submit' }, 'Open'))
}
