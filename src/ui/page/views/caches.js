// @ts-check
/** The caches of the process, with their hit rates. */
import { source } from '../api.js'
import { el, facts } from '../dom.js'
import { bytes, count } from '../format.js'
import { notOffered, section } from '../notices.js'

/** @typedef {import('../api.js').Json} Json */

/**
 * @param {import('../app.js').ViewContext} context
 * @returns {import('../app.js').View}
 */
export function cachesView({ signal }) {
  const loading = source('status', { signal })
  const part = (
    /** @type {string} */ title,
    /** @type {(cache: Json) => import('../dom.js').Child[]} */ show,
    /** @type {string} */ intro,
  ) =>
    section(
      title,
      async () => {
        const status = await loading
        return status ? show(status['cache']) : notOffered(title)
      },
      intro,
    )
  return {
    title: 'Caches',
    content: [
      part(
        'Key versions',
        ({ keys }) => [
          rate('Key versions', keys),
          facts([
            ['Cached versions', count(keys.keys)],
            ['Estimated memory', bytes(keys.bytes)],
          ]),
        ],
        'A miss loads a key version from the store. If misses grow nearly as fast as hits, raise the option cache.keyBytes.',
      ),
      part(
        'Records',
        ({ records }) => [rate('Records', records), facts([['Cached records', count(records.records)]])],
        'Records of all kinds and mounts.',
      ),
      part(
        'Age',
        (cache) => [
          facts([
            [
              'Age now',
              cache['ageMs'] === undefined
                ? 'unknown; the next request asks the store'
                : `${count(Math.round(cache['ageMs']))} ms`,
            ],
            ['Limit', `${count(cache['stalenessMs'])} ms`],
          ]),
        ],
        'Older cached data is not used.',
      ),
    ],
  }
}

/**
 * @param {string} name
 * @param {Json} use
 */
function rate(name, { hits, misses }) {
  const total = hits + misses
  const share = total === 0 ? 0 : hits / total
  const shown = total === 0 ? 'not used yet' : `${(Math.floor(share * 1000) / 10).toFixed(1)} %`
  return el(
    'div',
    { class: 'rate' },
    el('span', { class: 'figure' }, shown),
    el('meter', { min: 0, max: 1, value: share, 'aria-label': `Hit rate: ${name}` }, shown),
    el('span', { class: 'detail' }, `hits ${count(hits)}, misses ${count(misses)} since the process was started`),
  )
}
