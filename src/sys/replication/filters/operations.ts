/** Operations for path filters, which decide what a secondary receives, as Vault's API defines them. */
import { conflict, invalid, notFound } from '../../../core/base/errors.ts'
import { toHex } from '../../../core/base/identifiers.ts'
import { controlOperation, operation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { f } from '../../../core/field/fields.ts'
import { TOPOLOGY } from '../../../core/mount/topology.ts'
import { readOwnFilteredPaths } from '../follow/read-own-filtered-paths.ts'
import { REPLICATION } from '../replication-context.ts'
import { peerRecordId } from '../serve/peer-keys.ts'
import type { Peer } from '../state/records.ts'
import { PERFORMANCE } from '../state/replication-kind.ts'
import { listFilteredPaths } from './filtered-paths.ts'
import { findPeerId } from './find-peer-id.ts'
import { MAX_FILTER_PATHS, parseFilterPaths } from './parse-filter-paths.ts'

const BASE = '/replication/performance'

const TOKEN_BYTES = 16

const common = { sudo: true, rootOnly: true } as const

const ID = f.freeName("The id that was given when the token of the secondary was created, or the id of the secondary's cluster.")

const TEXTS = { type: 'array', items: { type: 'string' } }

const FILTERED = {
  dynamic_filtered_mounts: f.json<readonly string[]>('Paths of mounts, in byte order.', TEXTS),
  dynamic_filtered_namespaces: f.json<readonly string[]>('Paths of namespaces, in byte order.', TEXTS),
}

/**
 * Returns the record of the secondary; undefined if no token was created for the id.
 * @throws KernelError 400 if this cluster is not a primary.
 */
function peerFor(tx: Tx, id: string): Peer | undefined {
  const context = REPLICATION.of(tx).performance
  if (context.membership.mode !== 'primary') throw conflict('the cluster is not a primary')
  const name = tx.once('secondary', () => findPeerId(context, id), 'attempt')
  return name === undefined ? undefined : tx.get(PERFORMANCE.peer, peerRecordId(name))
}

const newToken = (tx: Tx): string => toHex(tx.env.entropy.bytes(TOKEN_BYTES))

/**
 * @throws KernelError 400 if this cluster is not a primary, if no secondary has the `id`, if several secondaries report `id` as the id of
 *   their cluster, if `mode` is unknown, if `paths` has more than 1000 entries or more than 65536 characters in total, if a path is
 *   invalid, or if a path is the root namespace, `sys/`, `identity/`, `cubbyhole/` or `auth/token/`. These four mounts cannot be filtered
 *   alone: they are filtered together with their namespace.
 */
export const writePathsFilter = operation({
  ...common,
  kind: 'write',
  verb: 'POST',
  path: `${BASE}/primary/paths-filter/+id`,
  summary: 'Sets which mounts and namespaces a secondary receives. The secondary deletes the data of all others.',
  fields: {
    id: ID,
    mode: f
      .oneOf(['allow', 'deny'], '`allow`: only the listed paths. `deny`: everything except the listed paths.')
      .default('allow'),
    paths: f
      .strictTexts(
        'At most 1000 full paths of mounts and namespaces. The path of a namespace includes everything below it. The paths need not exist yet.',
      )
      .default([]),
  },
  returns: {},
  run: (tx, { id, mode, paths }) => {
    if (paths.length > MAX_FILTER_PATHS) throw invalid(`paths: must have at most ${MAX_FILTER_PATHS} elements`)
    const peer = peerFor(tx, id)
    if (!peer) throw notFound('id: no secondary has this id', 400)
    const topology = TOPOLOGY.of(tx)
    tx.once('topology', () => topology.reload(), 'attempt')
    const filter = { mode, paths: parseFilterPaths(paths, topology.namespaces) }
    tx.put(PERFORMANCE.peer, peerRecordId(peer.id), { ...peer, filter, view: newToken(tx) })
    return undefined
  },
})

/**
 * @throws KernelError 400 if several secondaries report `id` as the id of their cluster.
 * @throws KernelError 404 if the secondary has no filter, if no secondary has the `id`, or if this cluster is not a primary.
 */
export const readPathsFilter = controlOperation({
  ...common,
  kind: 'read',
  verb: 'GET',
  path: `${BASE}/primary/paths-filter/+id`,
  summary: 'Returns the path filter of a secondary.',
  fields: { id: ID },
  returns: {
    mode: f.oneOf(['allow', 'deny'], 'The mode of the filter.'),
    paths: f.json<readonly string[]>('The paths of the filter, each with a trailing slash.', TEXTS),
  },
  control: async (asked, { id }) => {
    const context = REPLICATION.of(asked).performance
    if (context.membership.mode !== 'primary') return undefined
    const name = await findPeerId(context, id)
    const filter = name === undefined ? undefined : context.server.peers.peer(name)?.filter
    return filter && { mode: filter.mode, paths: filter.paths }
  },
})

/**
 * @throws KernelError 400 if this cluster is not a primary, or if several secondaries report `id` as the id of their cluster. An unknown id
 *   is not an error.
 */
export const deletePathsFilter = operation({
  ...common,
  kind: 'write',
  verb: 'DELETE',
  path: `${BASE}/primary/paths-filter/+id`,
  summary: 'Deletes the path filter of a secondary, which then receives everything. Succeeds if there is no filter.',
  fields: { id: ID },
  returns: {},
  run: (tx, { id }) => {
    const peer = peerFor(tx, id)
    if (!peer?.filter) return undefined
    const { filter: _, ...rest } = peer
    tx.put(PERFORMANCE.peer, peerRecordId(peer.id), { ...rest, view: newToken(tx) })
    return undefined
  },
})

/**
 * @throws KernelError 400 if several secondaries report `id` as the id of their cluster.
 * @throws KernelError 404 if the secondary has no filter, if no secondary has the `id`, or if this cluster is not a primary.
 */
export const readDynamicFilter = controlOperation({
  ...common,
  kind: 'read',
  verb: 'GET',
  path: `${BASE}/primary/dynamic-filter/+id`,
  summary: 'Lists the existing mounts and namespaces that the path filter hides from a secondary.',
  fields: { id: ID },
  returns: FILTERED,
  control: async (asked, { id }) => {
    const context = REPLICATION.of(asked).performance
    if (context.membership.mode !== 'primary') return undefined
    const name = await findPeerId(context, id)
    const scope = name === undefined ? undefined : await context.scopes.of(name)
    return scope?.isPartial ? listFilteredPaths(context, scope) : undefined
  },
})

/**
 * @throws KernelError 404 if no filter applies to this cluster, if `id` is the id of another cluster, or if this cluster is not a
 *   secondary.
 * @throws KernelError 503 if the primary does not answer.
 */
export const readOwnDynamicFilter = controlOperation({
  ...common,
  kind: 'read',
  verb: 'GET',
  path: `${BASE}/secondary/dynamic-filter/+id`,
  summary:
    'Lists the mounts and namespaces that the path filter hides from this secondary. The secondary requests the list from its primary.',
  fields: { id: ID },
  returns: FILTERED,
  control: async (asked, { id }) => {
    const context = REPLICATION.of(asked).performance
    if (context.membership.mode !== 'secondary') return undefined
    const { upstream } = (await context.membership.member()).relation
    const isOwn = upstream !== undefined && (id === upstream.id || id === context.internals.cluster?.id)
    return isOwn ? readOwnFilteredPaths(context) : undefined
  },
})
