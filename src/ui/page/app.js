// @ts-check
/** Shows the login or the view that the address names. */
import { call, read } from './api.js'
import { badge, button, el, fill } from './dom.js'
import { duration, setServerTime } from './format.js'
import { isValid, showLogin } from './login.js'
import { namespaceChoice, showNavigation } from './navigation.js'
import { explain, notice, REFUSED } from './notices.js'
import { route, routeTo } from './routes.js'
import { end, session } from './session.js'
import { auditView } from './views/audit.js'
import { cachesView } from './views/caches.js'
import { keyView } from './views/key.js'
import { keysView } from './views/keys.js'
import { leasesView } from './views/leases.js'
import { mountsView } from './views/mounts.js'
import { policiesView } from './views/policies.js'
import { policyView } from './views/policy.js'
import { replicationView } from './views/replication.js'
import { statusView } from './views/status.js'
import { workView } from './views/work.js'

/**
 * @typedef {object} ViewContext
 * @property {readonly string[]} names The names in the address after the view.
 * @property {AbortSignal} signal Aborted when another view is shown.
 */

/** @typedef {{ title: string, content: readonly import('./dom.js').Child[], view?: string }} View */

/** @type {Readonly<Record<string, (context: ViewContext) => View>>} */
const VIEWS = {
  status: statusView,
  mounts: mountsView,
  keys: keysView,
  key: keyView,
  leases: leasesView,
  work: workView,
  replication: replicationView,
  caches: cachesView,
  audit: auditView,
  policies: policiesView,
  policy: policyView,
}

const main = /** @type {HTMLElement} */ (document.getElementById('main'))
const nav = /** @type {HTMLElement} */ (document.getElementById('sections'))
const account = /** @type {HTMLElement} */ (document.getElementById('session'))
const serverState = /** @type {HTMLElement} */ (document.getElementById('server-state'))

let shown = new AbortController()

async function showServerState() {
  try {
    const health = await call('sys/health', { namespace: '', token: '' })
    setServerTime(health['server_time_utc'])
    const [tone, text] = stateOf(health)
    fill(serverState, badge(tone, text), el('small', {}, `version ${health['version']}`))
  } catch (error) {
    fill(serverState, badge('bad', 'no answer'), el('small', {}, explain(error)))
  }
}

/** @param {import('./api.js').Json} health @returns {['good' | 'warn' | 'bad', string]} */
function stateOf({ initialized, sealed, storage }) {
  if (!initialized) return ['warn', 'not initialized']
  if (sealed) return ['bad', 'sealed']
  return storage === 'unavailable' ? ['bad', 'no storage'] : ['good', 'unsealed']
}

/** @param {string} [message] */
function logOut(message) {
  shown.abort()
  end()
  account.hidden = nav.hidden = true
  fill(account)
  fill(nav)
  showLogin(main, enter, message)
}

async function enter() {
  void showServerState()
  showView()
  main.querySelector('h1')?.focus()
  const { token: used } = session() ?? {}
  const self = await read('auth/token/lookup-self', { namespace: session()?.base ?? '' }).catch(() => undefined)
  const choice = await namespaceChoice(showView)
  if (!used || session()?.token !== used) return
  const expires = self && (self['ttl'] > 0 ? `expires in ${duration(self['ttl'])}` : 'does not expire')
  const who = self ? `${self['display_name'] || 'token'}, ${expires}` : 'token'
  fill(
    account,
    choice,
    el('span', { class: 'who' }, who),
    button('Log out', () => logOut('You are logged out.')),
  )
  account.hidden = false
}

function showView() {
  const { view, names } = route()
  const show = Object.hasOwn(VIEWS, view) ? VIEWS[view] : undefined
  if (!show) {
    history.replaceState(null, '', routeTo('status'))
    return showView()
  }
  shown.abort()
  shown = new AbortController()
  const { title, content, view: section = view } = show({ names, signal: shown.signal })
  showNavigation(nav, section)
  const heading = el('h1', { tabindex: '-1' }, title)
  const refresh = button('Refresh', () => {
    void showServerState()
    showView()
    main.querySelector('button')?.focus()
  })
  fill(main, el('div', { class: 'title' }, heading, refresh), ...content)
  document.title = `${title} · strongroom`
}

/** The token may have expired while the page was open. */
async function checkSession() {
  const used = session()
  if (!used) return
  try {
    await isValid(used.token, used.base)
  } catch (error) {
    if (/** @type {{ status?: number }} */ (error).status === 403 && session()?.token === used.token)
      logOut('Your token is no longer valid. It has expired or was revoked.')
  }
}

addEventListener('hashchange', () => {
  if (!session()) return
  showView()
  // The new view begins with its heading, for the keyboard and for screen readers.
  main.querySelector('h1')?.focus()
  scrollTo(0, 0)
})

addEventListener(REFUSED, () => void checkSession())

document.getElementById('skip')?.addEventListener('click', (event) => {
  // The fragment of the address belongs to the routes.
  event.preventDefault()
  main.focus()
})

addEventListener('unhandledrejection', () => {
  if (!main.querySelector('[data-failed]')) main.prepend(el('div', { 'data-failed': 'true' }, notice('bad', explain(undefined))))
})

if (session()) void enter()
else {
  void showServerState()
  showLogin(main, enter)
}
