/** GET sys/internal/ui/resultant-acl, as in Vault. */
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import type { ResultantPaths } from '../../core/policy/index.ts'

/** @throws no errors of its own. */
export const resultantAcl = operation({
  kind: 'read',
  verb: 'GET',
  path: '/internal/ui/resultant-acl',
  summary: 'Returns all capabilities of the caller, for user interfaces.',
  fields: {},
  returns: {
    root: f.bool('Whether the caller may do everything.'),
    exact_paths: f.json<ResultantPaths>('Capabilities by exact path.').optional(),
    glob_paths: f.json<ResultantPaths>('Capabilities by path prefix.').optional(),
  },
  run: (tx) => {
    const { caller } = tx.call
    return caller.kind === 'token' ? tx.steps('rules', () => caller.acl.resultant(), 'attempt') : { root: true }
  },
})
