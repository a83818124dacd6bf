// When methods of replication refuse a call, by HTTP status, in addition to the errors that every method can have.

const ADDRESS = 'if an address has more than 256 characters'
const CHANGING = 'if another process of the cluster is changing its role.'
const TOKEN =
  'if the token is not an activation token, was used, has expired, was revoked, or is of another kind (always with the same message)'
const UNREACHABLE =
  'if the primary cannot be reached, or if another server answers at its address. In both cases, this cluster is unchanged.'

export const REPLICATION = {
  readStatus: {},
  status: {},
  enablePrimary: { 400: `if replication is enabled (a secondary can be promoted instead); ${ADDRESS}.`, 503: CHANGING },
  demotePrimary: { 400: 'if the cluster is not a primary.', 503: CHANGING },
  disablePrimary: { 400: 'if the cluster is not a primary.', 503: CHANGING },
  createSecondaryToken: {
    400: 'if the cluster is not a primary; if `id` is missing, has more than 256 bytes, or is the id of another secondary that has a token; if `ttl` is below one second; if the public key was not returned by `generatePublicKey`.',
  },
  revokeSecondary: { 400: 'if the cluster is not a primary, or if `id` is missing. An unknown id is not an error.' },
  generatePublicKey: { 400: 'if the cluster is a primary.' },
  enableSecondary: {
    400: `if replication is enabled; ${TOKEN}; if the releases of the two clusters use different record formats; ${ADDRESS}.`,
    502: UNREACHABLE,
    503: CHANGING,
  },
  readLostWrites: {
    400: 'if `limit` is not from 1 to 1000, or if `after` is neither empty nor the `next` of an earlier answer.',
  },
  forgetLostWrites: {},
  writePathsFilter: {
    400: 'if the cluster is not a primary; if the id is unknown, or several secondaries use it; if `mode` is unknown; if `paths` has more than 1000 entries or more than 65536 characters in total; if a path is invalid, is the root namespace, or is `sys/`, `identity/`, `cubbyhole/` or `auth/token/`, because these mounts are filtered together with their namespace.',
  },
  readPathsFilter: {
    400: 'if several secondaries use the id.',
    404: 'if the secondary has no filter, if the id is unknown, or if the cluster is not a primary.',
  },
  deletePathsFilter: {
    400: 'if the cluster is not a primary, or if several secondaries use the id. An unknown id is not an error.',
  },
  readDynamicFilter: {
    400: 'if several secondaries use the id.',
    404: 'if the secondary has no filter, if the id is unknown, or if the cluster is not a primary.',
  },
  readOwnDynamicFilter: {
    404: 'if the cluster has no filter, if the id belongs to another cluster, or if the cluster is not a secondary.',
    503: 'if the primary does not answer.',
  },
  reindex: { 400: 'if replication is disabled, or while a reindex is running.' },
  stopReindex: { 400: 'if no reindex is running.' },
  merkleCheck: {
    400: 'if replication is disabled.',
    503: 'if the check was stopped, if the role of the cluster changed, or while another kernel rebuilds the tree. To continue the check, call the method again.',
  },
  stopMerkleCheck: { 400: 'if replication is disabled.' },
  promote: {
    400: `if the cluster is not a secondary; ${ADDRESS}; without \`force\` also if its primary is running, if its primary may be running and the option \`promotion\` is \`strict\`, or if the cluster has no primary and may therefore lack records.`,
    503: 'if this cluster lacks the last records of the primary and `force` is not set, or if another process of the cluster is changing its role.',
  },
  disableSecondary: { 400: 'if the cluster is not a secondary.', 503: CHANGING },
  updatePrimary: {
    400: `if the cluster is not a secondary; if none or both of \`token\` and \`update_primary_addrs\` are given; if addresses are given, but the cluster has no primary, another primary answers at the addresses, or another primary was promoted meanwhile; ${TOKEN}; if the token belongs to another replication set; ${ADDRESS}.`,
    502: UNREACHABLE,
    503: CHANGING,
  },
}

/** Methods of performance replication that disaster recovery lacks. */
const ONLY_PERFORMANCE = [
  'status',
  'writePathsFilter',
  'readPathsFilter',
  'deletePathsFilter',
  'readDynamicFilter',
  'readOwnDynamicFilter',
  'stopReindex',
  'stopMerkleCheck',
]

const { promote, disableSecondary, updatePrimary, enableSecondary, merkleCheck, readLostWrites } = REPLICATION

const BY_TOKEN = 'if `dr_operation_token` is invalid. The application does not need such a token.'

export const DR_REPLICATION = {
  ...Object.fromEntries(Object.entries(REPLICATION).filter(([method]) => !ONLY_PERFORMANCE.includes(method))),
  enableSecondary: {
    ...enableSecondary,
    400: `${enableSecondary[400].slice(0, -1)}; if the cluster is in a performance replication set.`,
  },
  promote: { ...promote, 403: BY_TOKEN },
  disableSecondary: { ...disableSecondary, 403: BY_TOKEN },
  updatePrimary: { ...updatePrimary, 403: BY_TOKEN },
  readLostWrites: {
    400: `${readLostWrites[400].slice(0, -1)}; if the caller is not the application and the cluster is not a DR secondary.`,
    403: BY_TOKEN,
  },
  forgetLostWrites: { 400: 'if the caller is not the application and the cluster is not a DR secondary.', 403: BY_TOKEN },
  reindex: { 400: 'if the cluster is not a DR secondary, or while a reindex is running.', 403: BY_TOKEN },
  merkleCheck: { ...merkleCheck, 400: 'if the cluster is not a DR secondary.', 403: BY_TOKEN },
}
