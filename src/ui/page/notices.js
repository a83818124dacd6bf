// @ts-check
/** Messages for people, and parts of a page that load on their own. */
import { ApiError } from './api.js'
import { el, fill } from './dom.js'

/**
 * @param {unknown} error
 * @returns {string}
 */
export function explain(error) {
  if (!(error instanceof ApiError))
    return 'This part of the page failed. Reload the page, and report the error if it happens again.'
  const detail = error.errors
    .map((line) => line.replace(/^1 error occurred:\s*\*\s*/, '').trim())
    .filter((line) => line !== '' && line !== 'permission denied')
    .join('; ')
  if (error.status === 403)
    return detail.includes('permission denied')
      ? `Your token may not read this: ${detail.replace(/^permission denied: /, '')}.`
      : 'Your token may not read this.'
  if (error.status === 404) return detail === '' ? 'There is nothing here.' : `Not found: ${detail}.`
  if (error.status === 503)
    return /sealed/i.test(detail) ? SEALED : `The server cannot answer now: ${detail || 'it is not available'}.`
  return detail === '' ? `The server answered with status ${error.status}.` : detail
}

export const SEALED = 'The server is sealed. It answers no other request until it is unsealed.'

/**
 * @param {'info' | 'warn' | 'bad'} tone
 * @param {import('./dom.js').Child[]} content
 */
export const notice = (tone, ...content) =>
  el('p', { class: `notice ${tone}`, role: tone === 'bad' ? 'alert' : undefined }, ...content)

/** The event on the window after a part of the page was refused, for example because the token has expired. */
export const REFUSED = 'strongroom-refused'

/** @param {string} what */
export const notOffered = (what) => notice('info', `${what}: not offered by this server.`)

/**
 * A section that is filled when its data has arrived. If loading fails, the section has the reason and the rest of the page is not affected.
 * @param {string} title
 * @param {() => Promise<import('./dom.js').Child | import('./dom.js').Child[]>} load
 * @param {string} [intro]
 */
export function section(title, load, intro) {
  const id = `section-${title.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`
  const content = el('div', { class: 'content', 'aria-busy': 'true' }, el('p', { class: 'loading' }, 'Loading…'))
  const done = load().then(
    (loaded) => fill(content, ...[loaded].flat()),
    (error) => {
      if (!(error instanceof DOMException && error.name === 'AbortError')) fill(content, notice('warn', explain(error)))
      if (error instanceof ApiError && error.status === 403) dispatchEvent(new Event(REFUSED))
      if (!(error instanceof ApiError || error instanceof DOMException)) throw error
    },
  )
  void done.finally(() => content.removeAttribute('aria-busy'))
  return el(
    'section',
    { 'aria-labelledby': id },
    el('h2', { id }, title),
    intro === undefined ? undefined : el('p', { class: 'intro' }, intro),
    content,
  )
}
