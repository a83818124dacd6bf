/** The operations of disaster recovery replication, as Vault's API defines them. */
import { controlOperation, operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { CONTROLS } from '../../../core/kernel/controls.ts'
import { drMerkleCheck, drReindex } from '../inspect/operations.ts'
import { drForgetLostWrites, drReadLostWrites } from '../lost/operations.ts'
import {
  BY_TOKEN,
  PROMOTE_FIELDS,
  roleOperations,
  runDisableSecondary,
  runPromote,
  runUpdatePrimary,
  UPDATE_FIELDS,
} from '../role-operations.ts'
import { makeSecondaryToken, TOKEN_FIELDS, TOKEN_RESULT, tokenReply } from '../roles/secondary-token.ts'
import { DR } from '../state/replication-kind.ts'
import { authorizeDrOperation, byOperationToken, dr_operation_token } from './authorize.ts'

/**
 * @throws KernelError 400 if this cluster is not a primary, if `id` is missing or has more than 256 bytes, if another secondary already has
 *   a token with this `id`, if `ttl` is below one second, or if `secondary_public_key` was not returned by `generatePublicKey`.
 */
const createSecondaryToken = operation({
  ...BY_TOKEN,
  path: '/replication/dr/primary/secondary-token',
  summary: 'Creates a single-use token with which another cluster becomes a DR secondary of this one.',
  fields: TOKEN_FIELDS,
  returns: TOKEN_RESULT,
  wire: tokenReply,
  run: (tx, input) => makeSecondaryToken(tx, DR, { ...input, forward: 'policies' }),
})

const PROMOTE = '/replication/dr/secondary/promote'

/**
 * @throws KernelError 400 if this cluster is not a DR secondary, if `dr_operation_token` is missing and the caller is not the application,
 *   if `primary_cluster_addr` has more than 256 characters, if the primary is running and was not demoted, if the option
 *   `replication.promotion` is `strict` and the primary may still be writing although it does not answer, if this cluster follows no
 *   primary and may therefore lack records, or if a path filter hides data of the primary from this cluster. With `force`, the state of the
 *   primary and the data that this cluster lacks are not checked.
 * @throws KernelError 403 if `dr_operation_token` is invalid. The application does not need such a token.
 * @throws KernelError 503 if this cluster lacks the last records of a primary that was demoted or does not answer, if this cluster was
 *   demoted and has not finished its demotion, or if another process of this cluster is changing the role of this cluster. With `force`,
 *   missing records are no reason for a refusal, and they are lost.
 */
const promote = controlOperation({
  ...byOperationToken(PROMOTE),
  summary: 'Promotes a DR secondary to the primary of its set. The cluster then serves requests in place of the former primary.',
  fields: { dr_operation_token, ...PROMOTE_FIELDS },
  returns: {
    progress: f.int('Always equal to `required`.'),
    required: f.int('The number of key shares that are needed to create an operation token of this cluster.'),
    complete: f.bool('Always true.'),
  },
  wire: (data) => ({ data, repeated: true }),
  control: async (asked, input) => {
    await runPromote(asked, await authorizeDrOperation(asked, PROMOTE, input.dr_operation_token), input)
    const { t: required } = await CONTROLS.of(asked).sealing.status()
    return { progress: required, required, complete: true }
  },
})

const DISABLE = '/replication/dr/secondary/disable'

/**
 * @throws KernelError 400 if this cluster is not a DR secondary, or if `dr_operation_token` is missing and the caller is not the
 *   application.
 * @throws KernelError 403 if `dr_operation_token` is invalid. The application does not need such a token.
 * @throws KernelError 503 if another process of this cluster is changing the role of this cluster.
 */
const disableSecondary = controlOperation({
  ...byOperationToken(DISABLE),
  summary: 'Ends replication on this secondary. The cluster keeps its data and serves it independently.',
  fields: { dr_operation_token },
  returns: {},
  control: async (asked, { dr_operation_token: token }) => {
    await runDisableSecondary(asked, await authorizeDrOperation(asked, DISABLE, token))
    return undefined
  },
})

const UPDATE = '/replication/dr/secondary/update-primary'

/**
 * @throws KernelError 400 if this cluster is not a DR secondary, if `dr_operation_token` is missing and the caller is not the application,
 *   if `token` and `update_primary_addrs` are both missing or both given, if `update_primary_addrs` is given and this cluster follows no
 *   primary, if `update_primary_addrs` is given and the cluster at these addresses is not the current primary, if `update_primary_addrs` is
 *   given and a newer primary than the one at these addresses has been promoted, if `token` is malformed, is for the other kind of
 *   replication, was used, has expired, or was revoked, if `token` belongs to another replication set, if this cluster and the primary run
 *   releases that store records in different layouts, or if an address has more than 256 characters. The message is the same for all
 *   invalid tokens.
 * @throws KernelError 403 if `dr_operation_token` is invalid. The application does not need such a token.
 * @throws KernelError 502 if the primary cannot be reached, or if the cluster at the address in `token` or `primary_api_addr` is not the
 *   primary that issued `token`. This cluster is then unchanged.
 * @throws KernelError 503 if another process of this cluster is changing the role of this cluster.
 */
const updatePrimary = controlOperation({
  ...byOperationToken(UPDATE),
  summary: 'Makes this secondary follow another primary of its set, or changes the addresses of its primary.',
  fields: { dr_operation_token, ...UPDATE_FIELDS },
  returns: {},
  control: async (asked, input) => {
    await runUpdatePrimary(asked, await authorizeDrOperation(asked, UPDATE, input.dr_operation_token), input)
    return undefined
  },
})

const { readStatus, revokeSecondary, generatePublicKey, enableSecondary, ...primary } = roleOperations(DR)

export const drOperations = {
  readStatus,
  ...primary,
  createSecondaryToken,
  revokeSecondary,
  generatePublicKey,
  /**
   * @throws KernelError 400 if replication is already enabled on this cluster, if `token` is malformed, is for the other kind of
   *   replication, was used, has expired, or was revoked, if this cluster and the primary run releases that store records in different
   *   layouts, if `primary_api_addr` has more than 256 characters, or if this cluster is in a performance replication set. The message is
   *   the same for all invalid tokens.
   * @throws KernelError 502 if the primary cannot be reached, or if the cluster at the address in `token` or `primary_api_addr` is not the
   *   primary that issued `token`. This cluster is then unchanged.
   * @throws KernelError 503 if another process of this cluster is changing the role of this cluster.
   */
  enableSecondary,
  promote,
  disableSecondary,
  updatePrimary,
  readLostWrites: drReadLostWrites,
  forgetLostWrites: drForgetLostWrites,
  reindex: drReindex,
  merkleCheck: drMerkleCheck,
}
