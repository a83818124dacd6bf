// @ts-check
/** The list of views, and the choice of the namespace. */
import { read } from './api.js'
import { button, el, field, fill, select } from './dom.js'
import { routeTo } from './routes.js'
import { chooseNamespace, session } from './session.js'

/** @type {readonly (readonly [view: string, title: string])[]} */
const VIEWS = [
  ['status', 'Status'],
  ['mounts', 'Mounts'],
  ['keys', 'Keys'],
  ['leases', 'Leases'],
  ['work', 'Work'],
  ['replication', 'Replication'],
  ['caches', 'Caches'],
  ['audit', 'Audit'],
  ['policies', 'Policies'],
]

const MAX_NAMESPACES = 200

/**
 * @param {HTMLElement} nav
 * @param {string} current
 */
export function showNavigation(nav, current) {
  const links = VIEWS.map(([view, title]) =>
    el('li', {}, el('a', { href: routeTo(view), 'aria-current': view === current ? 'page' : undefined }, title)),
  )
  const items = el('ul', { id: 'views' }, ...links)
  const toggle = button('Views', () => open(toggle.getAttribute('aria-expanded') !== 'true'), {
    class: 'toggle',
    'aria-expanded': 'false',
    'aria-controls': 'views',
  })
  /** @param {boolean} isOpen */
  const open = (isOpen) => {
    toggle.setAttribute('aria-expanded', String(isOpen))
    items.classList.toggle('open', isOpen)
  }
  nav.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || toggle.getAttribute('aria-expanded') !== 'true') return
    open(false)
    toggle.focus()
  })
  fill(nav, toggle, items)
  nav.hidden = false
}

/**
 * The selection of the namespace; undefined if there is only one.
 * @param {() => void} changed
 * @returns {Promise<HTMLElement | undefined>}
 */
export async function namespaceChoice(changed) {
  const { base = '', namespace = '' } = session() ?? {}
  /** @type {string[]} */
  const below = await read('sys/internal/ui/namespaces', { namespace: base }).then(
    ({ keys = [] }) => keys,
    () => [],
  )
  const paths = [base, ...below.slice(0, MAX_NAMESPACES).map((path) => base + path)]
  if (!paths.includes(namespace)) paths.push(namespace)
  if (paths.length === 1 && namespace === '') return undefined
  const options = paths.map((path) => /** @type {const} */ ([path, path === '' ? 'root namespace' : path]))
  const control = select('namespace', options, namespace)
  control.addEventListener('change', () => {
    chooseNamespace(control.value)
    changed()
  })
  const hint = below.length > MAX_NAMESPACES ? `The first ${MAX_NAMESPACES} of ${below.length}` : undefined
  return field('Namespace', control, hint)
}
