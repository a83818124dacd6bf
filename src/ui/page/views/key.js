// @ts-check
/** One transit key with its versions. */
import { read } from '../api.js'
import { badge, el, facts } from '../dom.js'
import { count, time, yesNo } from '../format.js'
import { section } from '../notices.js'
import { pagedTable, pagesOf } from '../paged-table.js'
import { routeTo } from '../routes.js'
import { createdAt, minimumToEncrypt, nextRotation, periodOf } from './keys.js'

/** @typedef {import('../api.js').Json} Json */

/** A version refuses further encryptions after this number. */
const MAX_ENCRYPTIONS = 2 ** 32

/**
 * @param {import('../app.js').ViewContext} context
 * @returns {import('../app.js').View}
 */
export function keyView({ names: [mount = '', name = ''], signal }) {
  const loading = read(`${mount}keys/${name}`, { signal })
  return {
    title: `Key ${name}`,
    view: 'keys',
    content: [
      el('p', { class: 'back' }, el('a', { href: routeTo('keys', mount) }, `All keys of ${mount}`)),
      section('Settings', async () => settings(await loading)),
      section('Versions', async () => versions(await loading)),
    ],
  }
}

/** @param {Json} key */
function settings(key) {
  const can = ['encryption', 'decryption', 'signing', 'derivation'].filter((what) => key[`supports_${what}`])
  return facts([
    ['Type', key['type']],
    ['Can be used for', can.length === 0 ? 'HMAC' : can.join(', ')],
    ['Latest version', count(key['latest_version'])],
    ['Decrypts and verifies from version', count(key['min_decryption_version'])],
    ['Encrypts and signs from version', minimumToEncrypt(key)],
    key['min_available_version'] > 0 && ['Removed below version', count(key['min_available_version'])],
    ['Rotated', time(createdAt(key))],
    ['Rotates every', periodOf(key)],
    ['Next rotation', nextRotation(key)],
    ['Derived', yesNo(key['derived'])],
    key['convergent_encryption'] !== undefined && ['Convergent', yesNo(key['convergent_encryption'])],
    ['Exportable', exposure(key['exportable'])],
    ['Plaintext backup', exposure(key['allow_plaintext_backup'])],
    ['May be deleted', yesNo(key['deletion_allowed'])],
    ['Imported', yesNo(key['imported'])],
    key['backup_info'] && ['Last backup', time(key['backup_info'].time)],
    key['restore_info'] && ['Restored', time(key['restore_info'].time)],
  ])
}

/** @param {boolean} isAllowed */
const exposure = (isAllowed) => (isAllowed ? badge('warn', 'allowed') : 'refused')

/** @param {Json} key */
function versions(key) {
  const { keys = {}, encryptions, latest_version: latest } = key
  const rows = Object.entries(keys)
    .map(([version, value]) => ({ version: Number(version), value }))
    .sort((a, b) => b.version - a.version)
  const hasPublicKeys = rows.some(({ value }) => typeof value === 'object')
  /** @type {import('../tables.js').Column<{ version: number, value: any }>[]} */
  const columns = [
    { title: 'Version', cell: ({ version }) => [count(version), version === latest ? ' (latest)' : ''].join('') },
    { title: 'Created', cell: ({ value }) => time(typeof value === 'object' ? value.creation_time : value) },
  ]
  if (encryptions) columns.push({ title: 'Encryptions', kind: 'number', cell: ({ version }) => used(encryptions[version]) })
  if (hasPublicKeys)
    columns.push({
      title: 'Public key',
      kind: 'wide',
      cell: ({ value }) =>
        value.public_key ? el('pre', { tabindex: '0', 'aria-label': 'Public key', role: 'region' }, value.public_key) : '–',
    })
  return pagedTable({ caption: 'Versions', columns, load: pagesOf(rows), empty: 'No version can be used.' })
}

/** @param {number | undefined} number */
function used(number) {
  if (number === undefined) return '–'
  if (number === 0) return '0'
  const share = number / MAX_ENCRYPTIONS
  return share < 0.5 ? `≤ ${count(number)}` : badge(share < 0.9 ? 'warn' : 'bad', `≤ ${count(number)}: rotate the key`)
}
