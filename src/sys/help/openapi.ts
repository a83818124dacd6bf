/** GET sys/internal/specs/openapi: all operations as one document, as in Vault. */
import { openApi } from '../../core/contract/openapi.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import type { Mount } from '../../core/mount/mount.ts'
import { TOPOLOGY } from '../../core/mount/topology.ts'
import { reached } from '../reached.ts'

const readOpenApi = operation({
  kind: 'read',
  verb: 'GET',
  path: '/internal/specs/openapi',
  unauthenticated: true,
  readsToken: true,
  summary:
    'Describes the mounts that a token can reach, as an OpenAPI 3 document. Without a token, the document contains no mounts.',
  fields: {},
  returns: { document: f.json<Readonly<Record<string, unknown>>>('The document.') },
  wire: ({ document }) => ({ bare: document }),
  run: (tx) => {
    const mounts = described(tx)
    return { document: tx.steps('document', () => openApi(mounts, { headerPrefix: tx.env.headerPrefix }), 'attempt') }
  },
})

function described(tx: Tx): Parameters<typeof openApi>[0] {
  const { namespace } = tx.call
  const mounts = TOPOLOGY.of(tx).mounts.of(namespace)
  const pathOf = ({ record }: Mount) => namespace.path + record.path
  const reaches = reached(tx, mounts.map(pathOf))
  const seen = mounts.filter((mount) => reaches.has(pathOf(mount)))
  for (const { engine } of seen) {
    const loading = engine.load?.()
    if (loading) tx.once(`code of ${engine.type}`, () => loading, 'attempt')
  }
  return seen.map(({ record, engine }) => ({ mount: record.path, type: engine.type, operations: engine.operations }))
}

export const openApiOperations = { readOpenApi }
