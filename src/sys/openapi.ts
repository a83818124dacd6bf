/**
 * GET sys/internal/specs/openapi: everything that can be asked, as one document (source: behaviour of the originals). Room: sys. Imported
 * by the system engine.
 */

import { denied } from '../core/auth/authority.ts'
import { TOPOLOGY } from '../core/mount/topology.ts'
import { isWithin } from '../core/namespace/namespace.ts'
import { f } from '../core/operation/fields.ts'
import { openApi } from '../core/operation/openapi.ts'
import { operation } from '../core/operation/operation.ts'
import type { Tx } from '../core/transaction/tx.ts'

const readOpenApi = operation({
  kind: 'read',
  verb: 'GET',
  path: '/internal/specs/openapi',
  unauthenticated: true,
  readsToken: true,
  summary: 'Describes the mounts that a token reaches, as OpenAPI 3. Without a token there are none.',
  fields: {},
  returns: { document: f.json<Readonly<Record<string, unknown>>>('The document.') },
  wire: ({ document }) => ({ bare: document }),
  run: (tx) => ({ document: openApi(reached(tx), { headerPrefix: tx.env.headerPrefix }) }),
})

/** @throws KernelError 403 for a token of another namespace. */
function reached(tx: Tx): Parameters<typeof openApi>[0] {
  const { caller, namespace } = tx.call
  if (caller.kind === 'anonymous') return []
  if (caller.kind === 'token' && !isWithin(namespace, caller.namespace)) throw denied()
  const mounts = TOPOLOGY.of(tx).mounts.of(namespace)
  const seen = mounts.filter(({ record }) => caller.kind === 'app' || caller.acl.reaches(namespace.path + record.path))
  return seen.map(({ record, engine }) => ({ mount: record.path, type: engine.type, operations: engine.operations }))
}

export const openApiOperations = { readOpenApi }
