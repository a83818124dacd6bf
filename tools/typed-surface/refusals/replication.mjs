// When the methods of replication refuse, by status, beside what every method does. Read off the operations.

const ADDRESS = 'for an address of more than 256 characters'
const CHANGING = 'when another process of the cluster is changing its role.'
const TOKEN =
  'for everything that is no activation token, or is none any more: used, expired, revoked, of another kind. It is one and the same refusal'
const UNREACHABLE = 'when the primary cannot be reached, or somebody else answers in its place. Nothing was changed here.'

export const REPLICATION = {
  readStatus: {},
  status: {},
  enablePrimary: { 400: `unless replication is disabled: a secondary has to be promoted; ${ADDRESS}.`, 503: CHANGING },
  demotePrimary: { 400: 'unless the cluster is a primary.', 503: CHANGING },
  disablePrimary: { 400: 'unless the cluster is a primary.', 503: CHANGING },
  createSecondaryToken: {
    400: 'unless the cluster is a primary; without an `id`, for one of more than 256 bytes or one that has a token already; for a `ttl` under a second; and for a key that `generatePublicKey` does not give.',
  },
  revokeSecondary: { 400: 'unless the cluster is a primary, and without an `id`. One that nobody has is no refusal.' },
  generatePublicKey: { 400: 'when the cluster is a primary.' },
  enableSecondary: {
    400: `unless replication is disabled; ${TOKEN}; when the releases differ in how they keep records; and ${ADDRESS}.`,
    502: UNREACHABLE,
    503: CHANGING,
  },
  readLostWrites: { 400: 'for a `limit` beyond 1 to 1000, and for an `after` that no answer gave.' },
  forgetLostWrites: {},
  writePathsFilter: {
    400: 'unless the cluster is a primary; for an id that nobody was issued, and one that several secondaries say is theirs; for another `mode`; for more than 1000 paths or 65536 characters, for paths that nothing can have, for the root namespace and for `sys/`, `identity/`, `cubbyhole/` and `auth/token/`, which go with their namespace.',
  },
  readPathsFilter: {
    400: 'for an id that several secondaries say is theirs.',
    404: 'without a filter, for an id that nobody was issued, and unless the cluster is a primary.',
  },
  deletePathsFilter: {
    400: 'unless the cluster is a primary, and for an id that several secondaries say is theirs. One that nobody has is no refusal.',
  },
  readDynamicFilter: {
    400: 'for an id that several secondaries say is theirs.',
    404: 'without a filter, for an id that nobody was issued, and unless the cluster is a primary.',
  },
  readOwnDynamicFilter: {
    404: 'without a filter, for an id that is not the own one, and unless the cluster is a secondary.',
    503: 'when the primary does not answer.',
  },
  reindex: { 400: 'where replication is disabled, and while a reindex is running.' },
  stopReindex: { 400: 'unless a reindex is running.' },
  merkleCheck: {
    400: 'where replication is disabled.',
    503: 'when it was stopped, when the role of the cluster changed meanwhile, and while another kernel makes the tree: another call goes on.',
  },
  stopMerkleCheck: { 400: 'where replication is disabled.' },
  promote: {
    400: `unless the cluster is a secondary; when its primary lives, or with \`promotion: 'strict'\` may live; when none is known whose last record is here; and ${ADDRESS}. Of these \`force\` overrides the second and the third.`,
    503: 'when what the primary had last is not here: wait, or use `force`. Also when another process of the cluster is changing its role.',
  },
  disableSecondary: { 400: 'unless the cluster is a secondary.', 503: CHANGING },
  updatePrimary: {
    400: `unless the cluster is a secondary; with both \`token\` and \`update_primary_addrs\`, and with neither; with addresses where no primary is known, or where another one answers or has been promoted since; ${TOKEN}; when it is of another set; and ${ADDRESS}.`,
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

const BY_TOKEN = 'for a `dr_operation_token` that is not good for this. The application needs none.'

export const DR_REPLICATION = {
  ...Object.fromEntries(Object.entries(REPLICATION).filter(([method]) => !ONLY_PERFORMANCE.includes(method))),
  enableSecondary: {
    ...enableSecondary,
    400: `${enableSecondary[400].slice(0, -1)}; and in a set for performance.`,
  },
  promote: { ...promote, 403: BY_TOKEN },
  disableSecondary: { ...disableSecondary, 403: BY_TOKEN },
  updatePrimary: { ...updatePrimary, 403: BY_TOKEN },
  readLostWrites: {
    400: `${readLostWrites[400].slice(0, -1)}; but to the application, unless the cluster is a DR secondary.`,
    403: BY_TOKEN,
  },
  forgetLostWrites: { 400: 'but to the application, unless the cluster is a DR secondary.', 403: BY_TOKEN },
  reindex: { 400: 'unless the cluster is a DR secondary, and while a reindex is running.', 403: BY_TOKEN },
  merkleCheck: { ...merkleCheck, 400: 'unless the cluster is a DR secondary.', 403: BY_TOKEN },
}
