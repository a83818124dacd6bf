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
