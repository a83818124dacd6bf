/** The operations of performance replication and of replication as a whole, as Vault's API defines them. */
import { controlOperation, operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { drOperations } from './dr/operations.ts'
import {
  deletePathsFilter,
  readDynamicFilter,
  readOwnDynamicFilter,
  readPathsFilter,
  writePathsFilter,
} from './filters/operations.ts'
import type { ReadStatusResult } from './generated/api.ts'
import { merkleCheck, reindex, stopMerkleCheck, stopReindex } from './inspect/operations.ts'
import { forgetLostWrites, readLostWrites } from './lost/operations.ts'
import { REPLICATION } from './replication-context.ts'
import {
  BY_TOKEN,
  PROMOTE_FIELDS,
  roleOperations,
  runDisableSecondary,
  runPromote,
  runUpdatePrimary,
  UPDATE_FIELDS,
} from './role-operations.ts'
import { makeSecondaryToken, TOKEN_FIELDS, TOKEN_RESULT, tokenReply } from './roles/secondary-token.ts'
import { showsAddresses } from './shows-addresses.ts'
import { PERFORMANCE } from './state/replication-kind.ts'
import { replicationStatusOf } from './status.ts'

/** @throws no errors of its own. */
export const status = controlOperation({
  kind: 'read',
  verb: 'GET',
  path: '/replication/status',
  unauthenticated: true,
  readsToken: 'if valid',
  rootOnly: true,
  onDrSecondary: true,
  whileJoining: true,
  summary: 'Returns the state of this cluster in both kinds of replication.',
  fields: {},
  returns: {
    performance: f.json<ReadStatusResult>('The status of performance replication, as `readStatus` returns it.', {
      type: 'object',
    }),
    dr: f.json<ReadStatusResult>('The status of disaster recovery replication.', { type: 'object' }),
  },
  wire: (data) => ({ data, repeated: true }),
  control: async (asked) => {
    const both = REPLICATION.of(asked)
    const shows = showsAddresses(asked.call, '/replication/status')
    return { performance: await replicationStatusOf(both.performance, shows), dr: await replicationStatusOf(both.dr, shows) }
  },
})

/**
 * @throws KernelError 400 if this cluster is not a primary, if `id` is missing or has more than 256 bytes, if another secondary already has
 *   a token with this `id`, if `ttl` is below one second, or if `secondary_public_key` was not returned by `generatePublicKey`.
 */
export const createSecondaryToken = operation({
  ...BY_TOKEN,
  path: '/replication/performance/primary/secondary-token',
  summary: 'Creates a single-use token with which another cluster becomes a secondary of this one.',
  fields: {
    ...TOKEN_FIELDS,
    forward: f
      .oneOf(
        ['policies', 'app'],
        'The writes that this cluster accepts from the secondary. `policies`: writes of callers with a token whose policies on this cluster allow them. `app`: also writes that the application of the secondary makes without a token. They are trusted like calls of the application of this cluster.',
      )
      .default('policies'),
  },
  returns: TOKEN_RESULT,
  wire: tokenReply,
  run: (tx, input) => makeSecondaryToken(tx, PERFORMANCE, input),
})

/**
 * @throws KernelError 400 if this cluster is not a secondary, if `primary_cluster_addr` has more than 256 characters, if the primary is
 *   running and was not demoted, if the option `replication.promotion` is `strict` and the primary may still be writing although it does
 *   not answer, if this cluster follows no primary and may therefore lack records, or if a path filter hides data of the primary from this
 *   cluster. With `force`, the state of the primary and the data that this cluster lacks are not checked.
 * @throws KernelError 503 if this cluster lacks the last records of a primary that was demoted or does not answer, if this cluster was
 *   demoted and has not finished its demotion, or if another process of this cluster is changing the role of this cluster. With `force`,
 *   missing records are no reason for a refusal, and they are lost.
 */
export const promote = controlOperation({
  ...BY_TOKEN,
  path: '/replication/performance/secondary/promote',
  summary: 'Promotes a secondary to the primary of its set.',
  fields: PROMOTE_FIELDS,
  returns: {},
  control: async (asked, input) => {
    await runPromote(asked, REPLICATION.of(asked).performance, input)
    return undefined
  },
})

/**
 * @throws KernelError 400 if this cluster is not a secondary.
 * @throws KernelError 503 if another process of this cluster is changing the role of this cluster.
 */
export const disableSecondary = controlOperation({
  ...BY_TOKEN,
  path: '/replication/performance/secondary/disable',
  summary: 'Stops replication on this secondary. The cluster keeps its data and serves it independently.',
  fields: {},
  returns: {},
  control: async (asked) => {
    await runDisableSecondary(asked, REPLICATION.of(asked).performance)
    return undefined
  },
})

/**
 * @throws KernelError 400 if this cluster is not a secondary, if `token` and `update_primary_addrs` are both missing or both given, if
 *   `update_primary_addrs` is given and this cluster follows no primary, if `update_primary_addrs` is given and the cluster at these
 *   addresses is not the current primary, if `update_primary_addrs` is given and a newer primary than the one at these addresses has been
 *   promoted, if `token` is malformed, is for the other kind of replication, was used, has expired, or was revoked, if `token` belongs to
 *   another replication set, if this cluster and the primary run releases that store records in different layouts, or if an address has
 *   more than 256 characters. The message is the same for all invalid tokens.
 * @throws KernelError 502 if the primary cannot be reached, or if the cluster at the address in `token` or `primary_api_addr` is not the
 *   primary that issued `token`. This cluster is then unchanged.
 * @throws KernelError 503 if another process of this cluster is changing the role of this cluster.
 */
export const updatePrimary = controlOperation({
  ...BY_TOKEN,
  path: '/replication/performance/secondary/update-primary',
  summary: 'Makes this secondary follow another primary of its set, or changes the addresses of its primary.',
  fields: UPDATE_FIELDS,
  returns: {},
  control: async (asked, input) => {
    await runUpdatePrimary(asked, REPLICATION.of(asked).performance, input)
    return undefined
  },
})

const { readStatus, revokeSecondary, generatePublicKey, enableSecondary, ...primary } = roleOperations(PERFORMANCE)

export const replicationOperations = {
  readStatus,
  status,
  ...primary,
  createSecondaryToken,
  revokeSecondary,
  generatePublicKey,
  /**
   * @throws KernelError 400 if replication is already enabled on this cluster, if `token` is malformed, is for the other kind of
   *   replication, was used, has expired, or was revoked, if this cluster and the primary run releases that store records in different
   *   layouts, or if `primary_api_addr` has more than 256 characters. The message is the same for all invalid tokens.
   * @throws KernelError 502 if the primary cannot be reached, or if the cluster at the address in `token` or `primary_api_addr` is not the
   *   primary that issued `token`. This cluster is then unchanged.
   * @throws KernelError 503 if another process of this cluster is changing the role of this cluster.
   */
  enableSecondary,
  promote,
  disableSecondary,
  updatePrimary,
  readLostWrites,
  forgetLostWrites,
  writePathsFilter,
  readPathsFilter,
  deletePathsFilter,
  readDynamicFilter,
  readOwnDynamicFilter,
  reindex,
  stopReindex,
  merkleCheck,
  stopMerkleCheck,
}

const { readStatus: readPerformanceStatus, status: readReplicationStatus, ...others } = replicationOperations

/** The operations of both kinds of replication, under names that are unique among all operations below `sys/`. */
export const replicationPathOperations = {
  ...others,
  readPerformanceStatus,
  readReplicationStatus,
  readDrStatus: drOperations.readStatus,
  enableDrPrimary: drOperations.enablePrimary,
  demoteDrPrimary: drOperations.demotePrimary,
  disableDrPrimary: drOperations.disablePrimary,
  createDrSecondaryToken: drOperations.createSecondaryToken,
  revokeDrSecondary: drOperations.revokeSecondary,
  generateDrPublicKey: drOperations.generatePublicKey,
  enableDrSecondary: drOperations.enableSecondary,
  promoteDrSecondary: drOperations.promote,
  disableDrSecondary: drOperations.disableSecondary,
  updateDrPrimary: drOperations.updatePrimary,
  reindexDrSecondary: drOperations.reindex,
  checkDrSecondary: drOperations.merkleCheck,
  readDrLostWrites: drOperations.readLostWrites,
  forgetDrLostWrites: drOperations.forgetLostWrites,
}
