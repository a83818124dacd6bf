// @ts-check
/** Policies, and why a token is allowed or refused. */
import { ApiError, call, list, read } from '../api.js'
import { badge, code, el, facts, field, fill, form, select } from '../dom.js'
import { explain, notice, section } from '../notices.js'
import { filteredTable } from '../paged-table.js'
import { routeTo } from '../routes.js'
import { session } from '../session.js'

/** @typedef {import('../api.js').Json} Json */

/** @type {readonly (readonly [string, string])[]} */
const OPERATIONS = [
  ['read', 'read (GET)'],
  ['list', 'list (LIST)'],
  ['create', 'create (POST, new record)'],
  ['update', 'update (POST, existing record)'],
  ['patch', 'patch (PATCH)'],
  ['delete', 'delete (DELETE)'],
]

/**
 * @param {import('../app.js').ViewContext} context
 * @returns {import('../app.js').View}
 */
export function policiesView({ signal }) {
  return {
    title: 'Policies',
    content: [
      section('Explain', async () => explainForm(), 'Which rule decides about a request?'),
      section('Policies of the namespace', async () => {
        const names = await list('sys/policies/acl', { signal })
        return filteredTable({
          caption: 'Policies',
          columns: [
            {
              title: 'Name',
              cell: (/** @type {string} */ name) =>
                name === 'root' ? code(name) : el('a', { href: routeTo('policy', name) }, code(name)),
            },
          ],
          rows: names,
          empty: 'There are no policies.',
          textOf: (name) => name,
        })
      }),
    ],
  }
}

function explainForm() {
  const path = el('input', {
    type: 'text',
    name: 'path',
    required: true,
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: 'secret/data/app',
  })
  const token = el('input', { type: 'password', name: 'token', autocomplete: 'off', spellcheck: 'false' })
  const operation = select('operation', OPERATIONS, 'read')
  const answer = el('div', { class: 'answer', 'aria-live': 'polite' })
  const submit = el('button', { type: 'submit', class: 'primary' }, 'Explain')
  const act = async () => {
    submit.disabled = true
    try {
      fill(answer, await explained(path.value.trim().replace(/^\//, ''), operation.value, token.value.trim()))
    } catch (error) {
      fill(
        answer,
        notice(
          'warn',
          error instanceof ApiError && error.status === 403 && token.value !== ''
            ? 'The token is invalid, or your own token may not examine it.'
            : explain(error),
        ),
      )
    } finally {
      submit.disabled = false
    }
  }
  return el(
    'div',
    {},
    form(
      act,
      { class: 'explain' },
      field('Path', path),
      field('Operation', operation),
      field('Token', token, 'Empty for your own token'),
      submit,
    ),
    answer,
  )
}

/**
 * @param {string} path
 * @param {string} operation
 * @param {string} other The token to examine; empty for the visitor's own.
 */
async function explained(path, operation, other) {
  const token = other || (session()?.token ?? '')
  const [capabilities, decision] = await Promise.all([
    other
      ? call('sys/capabilities', { method: 'POST', body: { token, paths: [path] } })
      : call('sys/capabilities-self', { method: 'POST', body: { paths: [path] } }),
    // Explaining needs sudo; the capabilities alone often answer the question.
    read('sys/policies/explain', { method: 'POST', body: { token, operation, path } }).catch((error) => {
      if (error instanceof ApiError && error.status === 403) return undefined
      throw error
    }),
  ])
  /** @type {string[]} */
  const names = capabilities['data']?.[path] ?? []
  const { rule } = decision ?? {}
  return facts([
    ['Path', code(path)],
    ['Capabilities', names.map((name) => name).join(', ')],
    decision && [
      'Decision',
      decision['allowed'] ? badge('good', `${operation} is allowed`) : badge('bad', `${operation} is refused`),
    ],
    decision && ['Reason', decision['reason']],
    !decision && ['Decision', 'Your token may not request the deciding rule, which needs sudo on sys/policies/explain.'],
    rule && ['Rule', code(rule.pattern)],
    rule && ['Policies', rule.policies.join(', ')],
    rule && ['The rule grants', rule.capabilities.join(', ')],
    rule?.over?.length > 0 && ['Precedes', rule.over.join(', ')],
    decision && ['sudo', decision['sudo'] ? 'granted' : 'not granted'],
  ])
}
