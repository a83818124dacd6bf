/**
 * Explains why a token is allowed or refused: the deciding rule, and the rules over which that rule takes precedence. Vault has no such
 * operation.
 */
import { TOKEN_AUTHENTICATOR } from '../../core/access/token-authenticator.ts'
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { TOPOLOGY } from '../../core/mount/topology.ts'
import type { AclExplanation } from '../../core/policy/index.ts'
import { authorizedPathAt } from '../../core/request/authorized-path.ts'

const OPERATIONS = ['create', 'read', 'update', 'delete', 'list', 'patch'] as const

/** The HTTP verb of each operation. */
const VERBS = { create: 'POST', read: 'GET', update: 'POST', delete: 'DELETE', list: 'LIST', patch: 'PATCH' } as const

/**
 * @throws KernelError 400 if the operation is unknown.
 * @throws KernelError 403 if the given token is invalid.
 * @example
 * const { allowed, reason } = await kernel.policies.explain({ token, operation: 'read', path: 'secret/app/db' })
 */
export const explain = operation({
  kind: 'read',
  verb: 'POST',
  path: '/policies/explain',
  sudo: true,
  summary: 'Explains whether a token is allowed to perform an operation: names the deciding rule, and why it takes precedence.',
  fields: {
    token: f.text('The token to examine. This call does not count as one of its uses.'),
    operation: f.oneOf(
      OPERATIONS,
      'The operation. A write is a `create` if the record does not exist yet, and an `update` if it exists.',
    ),
    path: f.text('The path, relative to the namespace of this call, such as `secret/app`. For a list, the path of a folder.'),
    parameters: f.object('The parameters of the request, for rules that allow, deny or require parameters.').default({}),
    wrap_ttl: f.duration('The requested lifetime of a wrapped response; 0 for a response that is not wrapped.').default(0),
  },
  returns: {
    allowed: f.bool('Whether the operation is allowed.'),
    sudo: f.bool(
      'Whether the deciding rule grants `sudo`. A path that requires `sudo` is permitted only if `allowed` is true as well.',
    ),
    root: f.bool('Whether the token has the root policy.'),
    reason: f.text('The explanation in one sentence.'),
    rule: f
      .json<NonNullable<AclExplanation['rule']>>('The deciding rule, and the other matching patterns. Absent if no rule matches.')
      .optional(),
  },
  run: (tx, { token, operation: asked, path, parameters, wrap_ttl }) => {
    const caller = TOKEN_AUTHENTICATOR.of(tx).find(tx, token)
    const at = authorizedPathAt(TOPOLOGY.of(tx), tx.call.namespace, path.replace(/^\//, ''), VERBS[asked])
    const { acl } = caller
    if (!acl.isPrepared(at)) tx.steps('folded rules', () => acl.prepare(at))
    return acl.explain({ ...at, operation: asked, parameters, wrapTtl: wrap_ttl })
  },
})
