/** Why a token may or may not do something: the deciding rule, and the rules it takes precedence over. The originals lack this. */
import { AUTHORITY } from '../../core/access/authority.ts'
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { TOPOLOGY } from '../../core/mount/topology.ts'
import type { Explanation } from '../../core/policy/index.ts'
import { authorizedPathAt } from '../../core/request/authorized-path.ts'

const OPERATIONS = ['create', 'read', 'update', 'delete', 'list', 'patch'] as const

/** The verbs of requests that do so. */
const VERBS = { create: 'POST', read: 'GET', update: 'POST', delete: 'DELETE', list: 'LIST', patch: 'PATCH' } as const

export const explain = operation({
  kind: 'read',
  verb: 'POST',
  path: '/policies/explain',
  sudo: true,
  summary: 'Tells whether a token may do something, by which rule, and why that rule counts.',
  fields: {
    token: f.text('The token; it is not used up by this.'),
    operation: f.oneOf(
      OPERATIONS,
      'What it wants to do. A write is a `create` or an `update`, by whether there is something already.',
    ),
    path: f.text('Where, relative to the namespace of this call, such as `secret/app`. A list is of a folder.'),
    parameters: f.object('What it would send, for rules that look at parameters.').default({}),
    wrap_ttl: f.duration('The lifetime of the wrapped answer it would ask for; 0 is none.').default(0),
  },
  returns: {
    allowed: f.bool('Whether it may.'),
    sudo: f.bool('Whether it may on a path that is protected.'),
    root: f.bool('Whether it may do everything.'),
    reason: f.text('One sentence for a person.'),
    rule: f
      .json<NonNullable<Explanation['rule']>>('The rule that decides, and the other patterns that match. Absent where none does.')
      .optional(),
  },
  run: (tx, { token, operation: asked, path, parameters, wrap_ttl }) => {
    const caller = AUTHORITY.of(tx).find(tx, token)
    const at = authorizedPathAt(TOPOLOGY.of(tx), tx.call.namespace, path.replace(/^\//, ''), VERBS[asked])
    const { acl } = caller
    if (!acl.isPrepared(at)) tx.steps('folded rules', () => acl.prepare(at))
    return acl.explain({ ...at, operation: asked, parameters, wrapTtl: wrap_ttl })
  },
})
