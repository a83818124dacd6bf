/** GET sys/internal/ui/resultant-acl (source: behaviour of the originals). */
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import type { ResultantPaths } from '../../core/policy/index.ts'

export const resultantAcl = operation({
  kind: 'read',
  verb: 'GET',
  path: '/internal/ui/resultant-acl',
  summary: 'Shows all that the caller may do, for consoles.',
  fields: {},
  returns: {
    root: f.bool('Whether that is everything.'),
    exact_paths: f.json<ResultantPaths>('Capabilities by path.').optional(),
    glob_paths: f.json<ResultantPaths>('Capabilities by what paths begin with.').optional(),
  },
  run: (tx) => {
    const { caller } = tx.call
    return caller.kind === 'token' ? tx.steps('rules', () => caller.acl.resultant(), 'attempt') : { root: true }
  },
})
