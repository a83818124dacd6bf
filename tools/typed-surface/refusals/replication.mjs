// The documented refusals of the methods of replication, by method and HTTP status. In these texts, "this cluster" is the cluster that receives
// the call, and "the primary" is the cluster that it follows or would follow.
import { ifAny } from './conditions.mjs'

const NOT_PRIMARY = 'this cluster is not a primary'
const NOT_SECONDARY = 'this cluster is not a secondary'
const NOT_DR_SECONDARY = 'this cluster is not a DR secondary'
const DISABLED = 'replication is disabled on this cluster'
const ROLE_CHANGING = 'another process of this cluster is changing the role of this cluster'
const OWN_ADDRESS = '`primary_cluster_addr` has more than 256 characters'
const PRIMARY_ADDRESS = '`primary_api_addr` has more than 256 characters'
const TOKEN = '`token` is malformed, is for the other kind of replication, was used, has expired, or was revoked'
const ONE_MESSAGE = 'The message is the same for all invalid tokens.'
const OTHER_LAYOUT = 'this cluster and the primary run releases that store records in different layouts'
const UNREACHABLE = [
  'the primary cannot be reached',
  'the cluster at the address in `token` or `primary_api_addr` is not the primary that issued `token`',
]
const UNCHANGED = 'This cluster is then unchanged.'
const AMBIGUOUS = 'several secondaries report `id` as the id of their cluster'
const UNKNOWN_ID_OK = 'An unknown id is not an error.'
const REINDEXING = 'a reindex is already running'

const ENABLING = ['replication is already enabled on this cluster', TOKEN, OTHER_LAYOUT, PRIMARY_ADDRESS]

/** @param {readonly string[]} admission the conditions about the role of this cluster and about the caller */
const promote = (...admission) => ({
  400: `${ifAny(
    ...admission,
    OWN_ADDRESS,
    'the primary is running and was not demoted',
    'the option `replication.promotion` is `strict` and the primary may still be writing although it does not answer',
    'this cluster follows no primary and may therefore lack records',
    'a path filter hides data of the primary from this cluster',
  )} With \`force\`, the state of the primary and the data that this cluster lacks are not checked.`,
  503: `${ifAny(
    'this cluster lacks the last records of a primary that was demoted or does not answer',
    'this cluster was demoted and has not finished its demotion',
    ROLE_CHANGING,
  )} With \`force\`, missing records are no reason for a refusal, and they are lost.`,
})

/** @param {readonly string[]} admission as for `promote` */
const updatePrimary = (...admission) => ({
  400: `${ifAny(
    ...admission,
    '`token` and `update_primary_addrs` are both missing or both given',
    '`update_primary_addrs` is given and this cluster follows no primary',
    '`update_primary_addrs` is given and the cluster at these addresses is not the current primary',
    '`update_primary_addrs` is given and a newer primary than the one at these addresses has been promoted',
    TOKEN,
    '`token` belongs to another replication set',
    OTHER_LAYOUT,
    'an address has more than 256 characters',
  )} ${ONE_MESSAGE}`,
  502: `${ifAny(...UNREACHABLE)} ${UNCHANGED}`,
  503: ifAny(ROLE_CHANGING),
})

const LOST_WRITES = ['`limit` is not from 1 to 1000', '`after` is neither empty nor the `next` of an earlier answer']
const CHECK_STOPPED = `${ifAny(
  'the check was stopped',
  'another kernel of this cluster continues the check',
  'the role of this cluster changed during the check',
  'another kernel of this cluster is rebuilding the Merkle tree',
)} To continue the check, call the method again.`

const PRIMARY_METHODS = {
  readStatus: {},
  enablePrimary: {
    400: `${ifAny('this cluster is already a primary or a secondary', OWN_ADDRESS)} To make a secondary a primary, promote it.`,
    503: ifAny(ROLE_CHANGING),
  },
  demotePrimary: { 400: ifAny(NOT_PRIMARY), 503: ifAny(ROLE_CHANGING) },
  disablePrimary: { 400: ifAny(NOT_PRIMARY), 503: ifAny(ROLE_CHANGING) },
  createSecondaryToken: {
    400: ifAny(
      NOT_PRIMARY,
      '`id` is missing or has more than 256 bytes',
      'another secondary already has a token with this `id`',
      '`ttl` is below one second',
      '`secondary_public_key` was not returned by `generatePublicKey`',
    ),
  },
  revokeSecondary: { 400: `${ifAny(NOT_PRIMARY, '`id` is missing')} ${UNKNOWN_ID_OK}` },
  generatePublicKey: { 400: 'if this cluster is a primary.' },
}

const ENABLE_FAILURES = { 502: `${ifAny(...UNREACHABLE)} ${UNCHANGED}`, 503: ifAny(ROLE_CHANGING) }

export const REPLICATION = {
  ...PRIMARY_METHODS,
  status: {},
  enableSecondary: { 400: `${ifAny(...ENABLING)} ${ONE_MESSAGE}`, ...ENABLE_FAILURES },
  readLostWrites: { 400: ifAny(...LOST_WRITES) },
  forgetLostWrites: {},
  writePathsFilter: {
    400: `${ifAny(
      NOT_PRIMARY,
      'no secondary has the `id`',
      AMBIGUOUS,
      '`mode` is unknown',
      '`paths` has more than 1000 entries or more than 65536 characters in total',
      'a path is invalid',
      'a path is the root namespace, `sys/`, `identity/`, `cubbyhole/` or `auth/token/`',
    )} These four mounts cannot be filtered alone: they are filtered together with their namespace.`,
  },
  readPathsFilter: {
    400: ifAny(AMBIGUOUS),
    404: ifAny('the secondary has no filter', 'no secondary has the `id`', NOT_PRIMARY),
  },
  deletePathsFilter: { 400: `${ifAny(NOT_PRIMARY, AMBIGUOUS)} ${UNKNOWN_ID_OK}` },
  readDynamicFilter: {
    400: ifAny(AMBIGUOUS),
    404: ifAny('the secondary has no filter', 'no secondary has the `id`', NOT_PRIMARY),
  },
  readOwnDynamicFilter: {
    404: ifAny('no filter applies to this cluster', '`id` is the id of another cluster', NOT_SECONDARY),
    503: 'if the primary does not answer.',
  },
  reindex: { 400: ifAny(DISABLED, REINDEXING) },
  stopReindex: { 400: ifAny(DISABLED, 'no reindex is running') },
  merkleCheck: { 400: ifAny(DISABLED), 503: CHECK_STOPPED },
  stopMerkleCheck: { 400: ifAny(DISABLED) },
  promote: promote(NOT_SECONDARY),
  disableSecondary: { 400: ifAny(NOT_SECONDARY), 503: ifAny(ROLE_CHANGING) },
  updatePrimary: updatePrimary(NOT_SECONDARY),
}

const BY_TOKEN = 'if `dr_operation_token` is invalid. The application does not need such a token.'
const TOKEN_MISSING = '`dr_operation_token` is missing and the caller is not the application'
const FOR_VIEWS = ['this cluster is not a DR secondary and the caller is not the application', TOKEN_MISSING]

export const DR_REPLICATION = {
  ...PRIMARY_METHODS,
  enableSecondary: {
    400: `${ifAny(...ENABLING, 'this cluster is in a performance replication set')} ${ONE_MESSAGE}`,
    ...ENABLE_FAILURES,
  },
  promote: { ...promote(NOT_DR_SECONDARY, TOKEN_MISSING), 403: BY_TOKEN },
  disableSecondary: { 400: ifAny(NOT_DR_SECONDARY, TOKEN_MISSING), 403: BY_TOKEN, 503: ifAny(ROLE_CHANGING) },
  updatePrimary: { ...updatePrimary(NOT_DR_SECONDARY, TOKEN_MISSING), 403: BY_TOKEN },
  readLostWrites: { 400: ifAny(...FOR_VIEWS, ...LOST_WRITES), 403: BY_TOKEN },
  forgetLostWrites: { 400: ifAny(...FOR_VIEWS), 403: BY_TOKEN },
  reindex: { 400: ifAny(NOT_DR_SECONDARY, TOKEN_MISSING, REINDEXING), 403: BY_TOKEN },
  merkleCheck: { 400: ifAny(NOT_DR_SECONDARY, TOKEN_MISSING), 403: BY_TOKEN, 503: CHECK_STOPPED },
}
