/**
 * The operations of performance replication (spec document 2).
 */
import { invalid } from '../../core/base/errors.ts'
import { controlOperation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import type { ReadStatusResult } from './api.ts'
import { REPLICATION } from './center.ts'
import { forgetLostWrites, readLostWrites } from './lost/operations.ts'
import { demotePrimary } from './roles/demote-primary.ts'
import { disable } from './roles/disable.ts'
import { enablePrimary as enable } from './roles/enable-primary.ts'
import { enableSecondary as join } from './roles/enable-secondary.ts'
import { promote as takeOver } from './roles/promote.ts'
import { newPublicKey } from './roles/public-key.ts'
import { revoke } from './roles/revoke-secondary.ts'
import { createSecondaryToken } from './roles/secondary-token.ts'
import { updatePrimary as update } from './roles/update-primary.ts'
import { statusOf } from './status.ts'
import { STATUS } from './status-fields.ts'

const RESTARTS = 'This cluster is changing its part in replication; for a moment requests may be refused.'

const NO_CA = 'ca_file and ca_path are not needed: the key of the token secures the channel.'

const common = { kind: 'write', verb: 'POST', sudo: true, rootOnly: true } as const

const address = f.text('Where secondaries reach this cluster; empty: where its kernels listen.').default('')

/** Each may take as long as a port may. */
const MOST_ADDRESSES = 32

/** Nobody needs longer ones. */
const LONGEST_ADDRESS = 256

const CA = {
  ca_file: f.text('Not needed; a warning says so.').default(''),
  ca_path: f.text('Not needed; a warning says so.').default(''),
}

function checkAddress(name: string, text: string): string {
  if (text.length > LONGEST_ADDRESS) throw invalid(`${name}: must have at most ${LONGEST_ADDRESS} characters`)
  return text
}

const warningsOf = ({ ca_file, ca_path }: { readonly ca_file: string; readonly ca_path: string }): readonly string[] =>
  ca_file === '' && ca_path === '' ? [RESTARTS] : [RESTARTS, NO_CA]

export const readStatus = controlOperation({
  kind: 'read',
  verb: 'GET',
  path: '/replication/performance/status',
  unauthenticated: true,
  rootOnly: true,
  summary: 'Tells the part of this cluster in its set, and how far it has come.',
  fields: {},
  returns: STATUS,
  wire: (data) => ({ data, repeated: true }),
  control: (asked) => statusOf(REPLICATION.of(asked)),
})

export const status = controlOperation({
  kind: 'read',
  verb: 'GET',
  path: '/replication/status',
  unauthenticated: true,
  rootOnly: true,
  summary: 'Tells the part of this cluster in both kinds of replication.',
  fields: {},
  returns: {
    performance: f.json<ReadStatusResult>('As `readStatus`.', { type: 'object' }),
    dr: f.json<ReadStatusResult>('For disaster recovery: `disabled`.', { type: 'object' }),
  },
  wire: (data) => ({ data, repeated: true }),
  control: async (asked) => ({ performance: await statusOf(REPLICATION.of(asked)), dr: { mode: 'disabled' } }),
})

export const enablePrimary = controlOperation({
  ...common,
  path: '/replication/performance/primary/enable',
  summary: 'Makes this cluster the primary of a new set.',
  fields: { primary_cluster_addr: address },
  returns: {},
  control: async (asked, { primary_cluster_addr: given }) => {
    await enable(REPLICATION.of(asked), checkAddress('primary_cluster_addr', given))
    asked.warn(RESTARTS)
    return undefined
  },
})

export const demotePrimaryOperation = controlOperation({
  ...common,
  path: '/replication/performance/primary/demote',
  summary: 'Makes the primary a secondary that knows no primary; it keeps what it holds.',
  fields: {},
  returns: {},
  control: async (asked) => {
    await demotePrimary(REPLICATION.of(asked))
    asked.warn(RESTARTS)
    return undefined
  },
})

export const disablePrimary = controlOperation({
  ...common,
  path: '/replication/performance/primary/disable',
  summary: 'Ends the set: secondaries are cut off, and have to be enabled anew.',
  fields: {},
  returns: {},
  control: async (asked) => {
    await disable(REPLICATION.of(asked), 'primary')
    asked.warn(RESTARTS)
    return undefined
  },
})

export const revokeSecondary = controlOperation({
  ...common,
  path: '/replication/performance/primary/revoke-secondary',
  summary: 'Cuts a secondary off at once; it keeps what it holds.',
  fields: { id: f.text('The name that its token was made with.').default('') },
  returns: {},
  control: async (asked, { id }) => {
    await revoke(REPLICATION.of(asked), id)
    return undefined
  },
})

export const generatePublicKey = controlOperation({
  ...common,
  path: '/replication/performance/secondary/generate-public-key',
  summary: 'Makes a key that a primary can seal an activation token to.',
  fields: {},
  returns: { secondary_public_key: f.text('Base64.') },
  control: async (asked) => ({ secondary_public_key: await newPublicKey(REPLICATION.of(asked)) }),
})

export const enableSecondary = controlOperation({
  ...common,
  path: '/replication/performance/secondary/enable',
  summary: 'Makes this cluster a secondary: what it holds is cleared, and what its primary holds comes.',
  fields: {
    token: f.text('The activation token.').default(''),
    primary_api_addr: f.text('Where the primary is reached, instead of where the token says.').default(''),
    ...CA,
  },
  returns: {},
  control: async (asked, input) => {
    if (input.token === '') throw invalid('token: must be given')
    await join(REPLICATION.of(asked), input.token, checkAddress('primary_api_addr', input.primary_api_addr))
    for (const warning of warningsOf(input)) asked.warn(warning)
    return undefined
  },
})

export const promote = controlOperation({
  ...common,
  path: '/replication/performance/secondary/promote',
  summary: 'Makes a secondary the primary of its set.',
  fields: {
    primary_cluster_addr: address,
    force: f.bool('Takes over although the primary lives, or has what is not here.').default(false),
  },
  returns: {},
  control: async (asked, { primary_cluster_addr: given, force }) => {
    const wish = { address: checkAddress('primary_cluster_addr', given), force }
    for (const warning of [RESTARTS, ...(await takeOver(REPLICATION.of(asked), wish))]) asked.warn(warning)
    return undefined
  },
})

export const disableSecondary = controlOperation({
  ...common,
  path: '/replication/performance/secondary/disable',
  summary: 'Ends following: this cluster keeps what it holds, and serves it by itself.',
  fields: {},
  returns: {},
  control: async (asked) => {
    await disable(REPLICATION.of(asked), 'secondary')
    asked.warn(RESTARTS)
    return undefined
  },
})

export const updatePrimary = controlOperation({
  ...common,
  path: '/replication/performance/secondary/update-primary',
  summary: 'Gives a secondary another primary of its set, or another way to it.',
  fields: {
    token: f.text('An activation token of the new primary; empty: the secondary knows no primary any more.').optional(),
    primary_api_addr: f.text('Where the primary is reached, instead of where the token says.').default(''),
    ...CA,
    update_primary_addrs: f.list('Where the known primary is reached, at most 32; tried in order.', MOST_ADDRESSES).optional(),
  },
  returns: {},
  control: async (asked, input) => {
    const { token, update_primary_addrs: addresses } = input
    for (const one of addresses ?? []) checkAddress('update_primary_addrs', one)
    const at = checkAddress('primary_api_addr', input.primary_api_addr)
    await update(REPLICATION.of(asked), { token, addresses, address: at })
    for (const warning of warningsOf(input)) asked.warn(warning)
    return undefined
  },
})

export const replicationOperations = {
  readStatus,
  status,
  enablePrimary,
  demotePrimary: demotePrimaryOperation,
  disablePrimary,
  createSecondaryToken,
  revokeSecondary,
  generatePublicKey,
  enableSecondary,
  promote,
  disableSecondary,
  updatePrimary,
  readLostWrites,
  forgetLostWrites,
}

const { readStatus: readPerformanceStatus, status: readReplicationStatus, ...others } = replicationOperations

/** The same by names that nothing else below `sys/` has. */
export const replicationPathOperations = { ...others, readPerformanceStatus, readReplicationStatus }
