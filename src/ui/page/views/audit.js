// @ts-check
/** Audit devices, and the last entries of the audit log. */
import { read, source } from '../api.js'
import { badge, code } from '../dom.js'
import { text, time, yesNo } from '../format.js'
import { notOffered, section } from '../notices.js'
import { filteredTable, pagedTable, pagesOf } from '../paged-table.js'

/** @typedef {import('../api.js').Json} Json */

/** @type {import('../tables.js').Column<Json>[]} */
const DEVICES = [
  { title: 'Path', kind: 'name', cell: ({ path }) => code(path) },
  { title: 'Type', cell: ({ type }) => text(type) },
  { title: 'Description', kind: 'wide', cell: ({ description }) => text(description) },
  {
    title: 'Options',
    kind: 'wide',
    cell: ({ options }) =>
      text(
        Object.entries(options ?? {})
          .map(([name, value]) => `${name}=${value}`)
          .join(', '),
      ),
  },
  { title: 'On this cluster only', cell: ({ local }) => yesNo(local) },
]

/** @type {import('../tables.js').Column<Json>[]} */
const ENTRIES = [
  { title: 'Time', cell: ({ time: at }) => time(at) },
  { title: 'Operation', cell: ({ operation }) => operation },
  { title: 'Path', kind: 'wide', cell: ({ namespace, path }) => code(namespace + path) },
  { title: 'Caller', kind: 'name', cell: ({ caller }) => text(caller) },
  { title: 'Address', cell: ({ remote_address: address }) => text(address) },
  { title: 'Result', kind: 'wide', cell: ({ error }) => (error === '' ? badge('good', 'done') : badge('bad', error)) },
]

/**
 * @param {import('../app.js').ViewContext} context
 * @returns {import('../app.js').View}
 */
export function auditView({ signal }) {
  return {
    title: 'Audit',
    content: [
      section(
        'Last entries',
        async () => {
          const tail = await source('audit', { signal })
          if (!tail) return notOffered('The last entries')
          return filteredTable({
            caption: 'Audit entries',
            columns: ENTRIES,
            rows: tail['entries'] ?? [],
            empty: 'No request has been recorded since the process was started.',
            textOf: ({ operation, namespace, path, caller, error }) => `${operation} ${namespace}${path} ${caller} ${error}`,
          })
        },
        'Responses that this process recorded, the newest first. The audit log itself has everything.',
      ),
      section('Devices', async () => {
        const devices = Object.values(await read('sys/audit', { namespace: '', signal }))
        return pagedTable({
          caption: 'Audit devices',
          columns: DEVICES,
          load: pagesOf(devices),
          empty: 'There is no audit device. Requests are not recorded.',
        })
      }),
    ],
  }
}
