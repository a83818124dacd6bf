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
  enableSecondary,
  promote,
  disableSecondary,
  updatePrimary,
  readLostWrites: drReadLostWrites,
  forgetLostWrites: drForgetLostWrites,
  reindex: drReindex,
  merkleCheck: drMerkleCheck,
}
