// @ts-check
/** The text of a policy. */
import { read } from '../api.js'
import { el } from '../dom.js'
import { section } from '../notices.js'
import { routeTo } from '../routes.js'

/**
 * @param {import('../app.js').ViewContext} context
 * @returns {import('../app.js').View}
 */
export function policyView({ names: [name = ''], signal }) {
  return {
    title: `Policy ${name}`,
    view: 'policies',
    content: [
      el('p', { class: 'back' }, el('a', { href: routeTo('policies') }, 'All policies')),
      section('Text', async () => {
        const { policy = '' } = await read(`sys/policies/acl/${name}`, { signal })
        return el('pre', { class: 'document', tabindex: '0', role: 'region', 'aria-label': `Text of policy ${name}` }, policy)
      }),
    ],
  }
}
