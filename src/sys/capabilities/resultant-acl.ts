/** GET sys/internal/ui/resultant-acl (source: behaviour of the originals). */
import { f } from '../../core/operation/fields.ts'
import { operation } from '../../core/operation/operation.ts'
import type { ResultantAcl } from '../../core/policy/index.ts'

type Paths = Extract<ResultantAcl, { readonly root: false }>['exact_paths']

export const resultantAcl = operation({
  kind: 'read',
  verb: 'GET',
  path: '/internal/ui/resultant-acl',
  summary: 'Shows all that the caller may do, for consoles.',
  fields: {},
  returns: {
    root: f.bool('Whether that is everything.'),
    exact_paths: f.json<Paths>('Capabilities by path.').optional(),
    glob_paths: f.json<Paths>('Capabilities by what paths begin with.').optional(),
  },
  run: (tx) => {
    const { caller } = tx.call
    return caller.kind === 'token' ? caller.acl.resultant() : { root: true }
  },
})
