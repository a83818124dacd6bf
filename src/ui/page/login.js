// @ts-check
/** The form that asks for a token. */
import { ApiError, call, read } from './api.js'
import { button, el, field, fill, form } from './dom.js'
import { setServerTime } from './format.js'
import { explain, notice, SEALED } from './notices.js'
import { begin } from './session.js'

/**
 * @param {HTMLElement} main
 * @param {() => void} entered
 * @param {string} [message] Why the visitor must log in.
 */
export function showLogin(main, entered, message) {
  const token = el('input', { type: 'password', name: 'token', autocomplete: 'off', spellcheck: 'false', required: true })
  const namespace = el('input', { type: 'text', name: 'namespace', autocomplete: 'off', spellcheck: 'false' })
  const keep = el('input', { type: 'checkbox', name: 'keep', id: 'keep' })
  const submit = el('button', { type: 'submit', class: 'primary' }, 'Log in')
  const answer = el('div', { class: 'answer', role: 'alert' })
  const show = button('Show', () => {
    const isHidden = token.type === 'password'
    token.type = isHidden ? 'text' : 'password'
    show.textContent = isHidden ? 'Hide' : 'Show'
  })
  const tokenField = field('Token', token)
  tokenField.append(show)
  tokenField.classList.add('with-button')

  const attempt = async () => {
    submit.disabled = true
    fill(answer)
    const given = namespace.value.trim().replace(/^\/+|\/+$/g, '')
    const base = given === '' ? '' : `${given}/`
    try {
      await check(token.value.trim(), base)
      begin({ token: token.value.trim(), namespace: base, base }, keep.checked)
      token.value = ''
      entered()
    } catch (error) {
      fill(answer, notice('warn', refusal(error)))
      token.focus()
      token.select()
    } finally {
      submit.disabled = false
    }
  }

  fill(
    main,
    el(
      'div',
      { class: 'login' },
      el('h1', {}, 'Log in'),
      message === undefined ? undefined : notice('info', message),
      form(
        attempt,
        {},
        tokenField,
        field('Namespace', namespace, 'Empty for the root namespace'),
        el('div', { class: 'check' }, keep, el('label', { for: 'keep' }, 'Keep me logged in until this tab is closed')),
        submit,
        answer,
      ),
      el(
        'p',
        { class: 'intro' },
        'The page shows what the policies of your token allow. Without the box, reloading the page logs you out.',
      ),
    ),
  )
  document.title = 'Log in · strongroom'
  token.focus()
}

/**
 * Throws if the token is invalid.
 * @param {string} token
 * @param {string} namespace
 */
async function check(token, namespace) {
  const health = await call('sys/health', { namespace: '', token: '' })
  setServerTime(health['server_time_utc'])
  if (!health['initialized']) throw new ApiError(501, ['The server is not initialized. It has no data and no tokens yet.'])
  if (health['sealed']) throw new ApiError(503, ['sealed'])
  await isValid(token, namespace)
}

/**
 * Throws if the token is invalid. A token may lack the permission to look itself up, but every valid token may list the mounts that it sees.
 * @param {string} token
 * @param {string} namespace
 */
export const isValid = (token, namespace) => read('sys/internal/ui/mounts', { token, namespace })

/** @param {unknown} error */
function refusal(error) {
  if (!(error instanceof ApiError)) return explain(error)
  if (error.status === 503 && error.errors.includes('sealed')) return SEALED
  if (error.status === 403) return 'The server does not accept this token. It is wrong, has expired or was revoked.'
  if (error.status === 404) return 'There is no such namespace.'
  return explain(error)
}
