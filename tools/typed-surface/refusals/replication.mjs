// When methods of replication refuse, by status, in addition to the errors of every method. Derived from the operations.

const ADDRESS = 'for an address of more than 256 characters'
const CHANGING = 'if another process of the cluster is changing its role.'
const TOKEN =
  'for a text that is not an activation token, and for one that was used, has expired, was revoked or is of another kind (all with the same message)'
const UNREACHABLE = 'if the primary cannot be reached, or another server answers at its address. Nothing was changed.'

export const REPLICATION = {
  readStatus: {},
  status: {},
  enablePrimary: { 400: `unless replication is disabled: promote a secondary instead; ${ADDRESS}.`, 503: CHANGING },
  demotePrimary: { 400: 'unless the cluster is a primary.', 503: CHANGING },
  disablePrimary: { 400: 'unless the cluster is a primary.', 503: CHANGING },
  createSecondaryToken: {
    400: 'unless the cluster is a primary; without an `id`, for one of more than 256 bytes, and for one that already has a token; for a `ttl` under a second; and for a key that is not from `generatePublicKey`.',
  },
  revokeSecondary: { 400: 'unless the cluster is a primary, and without an `id`. An unknown id is no error.' },
  generatePublicKey: { 400: 'if the cluster is a primary.' },
  enableSecondary: {
    400: `unless replication is disabled; ${TOKEN}; if the record formats of the releases differ; and ${ADDRESS}.`,
    502: UNREACHABLE,
    503: CHANGING,
  },
  readLostWrites: { 400: 'for a `limit` that is not 1 to 1000, and for an `after` that is not from an answer.' },
  forgetLostWrites: {},
  writePathsFilter: {
    400: 'unless the cluster is a primary; for an unknown id, and for one that several secondaries use; for an unknown `mode`; for more than 1000 paths or 65536 characters, for invalid paths, for the root namespace and for `sys/`, `identity/`, `cubbyhole/` and `auth/token/`, which are filtered with their namespace.',
  },
  readPathsFilter: {
    400: 'for an id that several secondaries use.',
    404: 'without a filter, for an unknown id, and unless the cluster is a primary.',
  },
  deletePathsFilter: {
    400: 'unless the cluster is a primary, and for an id that several secondaries use. An unknown id is no error.',
  },
  readDynamicFilter: {
    400: 'for an id that several secondaries use.',
    404: 'without a filter, for an unknown id, and unless the cluster is a primary.',
  },
  readOwnDynamicFilter: {
    404: 'without a filter, for the id of another cluster, and unless the cluster is a secondary.',
    503: 'if the primary does not answer.',
  },
  reindex: { 400: 'if replication is disabled, and while a reindex is running.' },
  stopReindex: { 400: 'unless a reindex is running.' },
  merkleCheck: {
    400: 'if replication is disabled.',
    503: 'if the check was stopped, if the role of the cluster changed, and while another kernel rebuilds the tree; another call continues the check.',
  },
  stopMerkleCheck: { 400: 'if replication is disabled.' },
  promote: {
    400: `unless the cluster is a secondary; if its primary is running, or with \`promotion: 'strict'\` may be running; if no primary is known whose last record is here; and ${ADDRESS}. \`force\` overrides the second and the third case.`,
    503: 'if this cluster lacks the last records of the primary: wait, or use `force`. Also if another process of the cluster is changing its role.',
  },
  disableSecondary: { 400: 'unless the cluster is a secondary.', 503: CHANGING },
  updatePrimary: {
    400: `unless the cluster is a secondary; with both \`token\` and \`update_primary_addrs\`, and with neither; with addresses if no primary is known, and if another primary answers there or has been promoted since; ${TOKEN}; if the token is of another set; and ${ADDRESS}.`,
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

const BY_TOKEN = 'for an invalid `dr_operation_token`. The application does not need one.'

export const DR_REPLICATION = {
  ...Object.fromEntries(Object.entries(REPLICATION).filter(([method]) => !ONLY_PERFORMANCE.includes(method))),
  enableSecondary: {
    ...enableSecondary,
    400: `${enableSecondary[400].slice(0, -1)}; and in a performance replication set.`,
  },
  promote: { ...promote, 403: BY_TOKEN },
  disableSecondary: { ...disableSecondary, 403: BY_TOKEN },
  updatePrimary: { ...updatePrimary, 403: BY_TOKEN },
  readLostWrites: {
    400: `${readLostWrites[400].slice(0, -1)}; for other callers than the application, unless the cluster is a DR secondary.`,
    403: BY_TOKEN,
  },
  forgetLostWrites: { 400: 'for other callers than the application, unless the cluster is a DR secondary.', 403: BY_TOKEN },
  reindex: { 400: 'unless the cluster is a DR secondary, and while a reindex is running.', 403: BY_TOKEN },
  merkleCheck: { ...merkleCheck, 400: 'unless the cluster is a DR secondary.', 403: BY_TOKEN },
}
