/** The operations that exist once for each kind of replication, below `sys/replication/performance/` and `sys/replication/dr/`. */
import { isAddressText } from '../../core/base/address-text.ts'
import { invalid } from '../../core/base/errors.ts'
import { controlOperation } from '../../core/contract/operation.ts'
import type { OperationContext } from '../../core/contract/operation-context.ts'
import type { Parsed } from '../../core/field/field.ts'
import { f } from '../../core/field/fields.ts'
import { REPLICATION, type ReplicationContext } from './replication-context.ts'
import { changeRole } from './roles/change-role.ts'
import { demotePrimary as stepDown } from './roles/demote-primary.ts'
import { disable } from './roles/disable.ts'
import { enablePrimary as enable } from './roles/enable-primary.ts'
import { enableSecondary as join } from './roles/enable-secondary.ts'
import { promoteSecondary } from './roles/promote.ts'
import { newPublicKey } from './roles/public-key.ts'
import { revoke } from './roles/revoke-secondary.ts'
import { updatePrimary as update } from './roles/update-primary.ts'
import { showsAddresses } from './shows-addresses.ts'
import { DR, type ReplicationKind } from './state/replication-kind.ts'
import { replicationStatusOf } from './status.ts'
import { REPLICATION_STATUS } from './status-fields.ts'

const RESTARTS = 'This cluster is changing its replication role; requests may be refused for a moment.'

const NO_CA = 'ca_file and ca_path are ignored: the key in the token secures the connection.'

/** The properties shared by all operations that change the replication role and that the caller's token authorizes. */
export const BY_TOKEN = { kind: 'write', verb: 'POST', sudo: true, rootOnly: true } as const

const address = f
  .text('The address under which secondaries reach this cluster; empty to use the address at which its kernels listen.')
  .default('')

/** Limited because the addresses are tried one after the other, and each can take the whole timeout of the transport. */
const MAX_ADDRESSES = 32

const MAX_ADDRESS_CHARACTERS = 256

const CA = {
  ca_file: f.text('Ignored, with a warning.').default(''),
  ca_path: f.text('Ignored, with a warning.').default(''),
}

export const PROMOTE_FIELDS = {
  primary_cluster_addr: address,
  force: f
    .bool(
      'Promotes even if the primary is alive or has records that this cluster lacks. The records that this cluster lacks are lost.',
    )
    .default(false),
}

export const UPDATE_FIELDS = {
  token: f.text('An activation token of the new primary. If empty, the secondary has no primary afterwards.').optional(),
  primary_api_addr: f
    .text('The address of the primary, used instead of the address in the token. Empty: the address in the token.')
    .default(''),
  ...CA,
  update_primary_addrs: f
    .list('Addresses of the current primary, at most 32, in the order in which they are tried.', MAX_ADDRESSES)
    .optional(),
}

function checkAddress(name: string, text: string): string {
  if (text.length > MAX_ADDRESS_CHARACTERS) throw invalid(`${name}: must have at most ${MAX_ADDRESS_CHARACTERS} characters`)
  if (!isAddressText(text)) throw invalid(`${name}: must consist of characters that URLs allow`)
  return text
}

const warningsOf = ({ ca_file, ca_path }: { readonly ca_file: string; readonly ca_path: string }): readonly string[] =>
  ca_file === '' && ca_path === '' ? [RESTARTS] : [RESTARTS, NO_CA]

/** Promotes a secondary. This function and the next two do not check the token: their callers have authorized the request. */
export async function runPromote(
  asked: OperationContext,
  context: ReplicationContext,
  { primary_cluster_addr, force }: Parsed<typeof PROMOTE_FIELDS>,
): Promise<void> {
  const options = { address: checkAddress('primary_cluster_addr', primary_cluster_addr), force }
  for (const warning of [RESTARTS, ...(await changeRole(context, () => promoteSecondary(context, options)))]) asked.warn(warning)
}

/** Stops replication on this secondary. */
export async function runDisableSecondary(asked: OperationContext, context: ReplicationContext): Promise<void> {
  await changeRole(context, () => disable(context, 'secondary'))
  asked.warn(RESTARTS)
}

/** Changes the primary that this secondary follows, or the addresses of the current primary. */
export async function runUpdatePrimary(
  asked: OperationContext,
  context: ReplicationContext,
  input: Parsed<typeof UPDATE_FIELDS>,
): Promise<void> {
  const { token, update_primary_addrs: addresses } = input
  for (const one of addresses ?? []) checkAddress('update_primary_addrs', one)
  const options = { token, addresses, address: checkAddress('primary_api_addr', input.primary_api_addr) }
  await changeRole(context, () => update(context, options))
  for (const warning of warningsOf(input)) asked.warn(warning)
}

export function roleOperations(kind: ReplicationKind) {
  const at = `/replication/${kind.name}` as const
  const contextOf = (asked: OperationContext): ReplicationContext => REPLICATION.of(asked)[kind.name]
  /** A DR secondary accepts the operations for DR replication but not those for performance replication. */
  const belowSecondary = kind === DR ? ({ onDrSecondary: true } as const) : {}
  return {
    /** @throws no errors of its own. */
    readStatus: controlOperation({
      kind: 'read',
      verb: 'GET',
      path: `${at}/status`,
      unauthenticated: true,
      readsToken: 'if valid',
      rootOnly: true,
      onDrSecondary: true,
      whileJoining: true,
      summary: 'Returns the replication state and progress of this cluster.',
      fields: {},
      returns: REPLICATION_STATUS,
      wire: (data) => ({ data, repeated: true }),
      control: (asked) => replicationStatusOf(contextOf(asked), showsAddresses(asked.call, `${at}/status`)),
    }),
    /**
     * @throws KernelError 400 if this cluster is already a primary or a secondary, or if `primary_cluster_addr` has more than 256
     *   characters. To make a secondary a primary, promote it.
     * @throws KernelError 503 if another process of this cluster is changing the role of this cluster.
     */
    enablePrimary: controlOperation({
      ...BY_TOKEN,
      path: `${at}/primary/enable`,
      summary: 'Makes this cluster the primary of a new replication set.',
      fields: { primary_cluster_addr: address },
      returns: {},
      control: async (asked, { primary_cluster_addr: given }) => {
        const context = contextOf(asked)
        const at = checkAddress('primary_cluster_addr', given)
        await changeRole(context, () => enable(context, at))
        asked.warn(RESTARTS)
        return undefined
      },
    }),
    /**
     * @throws KernelError 400 if this cluster is not a primary.
     * @throws KernelError 503 if another process of this cluster is changing the role of this cluster.
     */
    demotePrimary: controlOperation({
      ...BY_TOKEN,
      path: `${at}/primary/demote`,
      summary: 'Demotes this primary to a secondary that follows no primary. The cluster keeps its data.',
      fields: {},
      returns: {},
      control: async (asked) => {
        const context = contextOf(asked)
        await changeRole(context, () => stepDown(context))
        asked.warn(RESTARTS)
        return undefined
      },
    }),
    /**
     * @throws KernelError 400 if this cluster is not a primary.
     * @throws KernelError 503 if another process of this cluster is changing the role of this cluster.
     */
    disablePrimary: controlOperation({
      ...BY_TOKEN,
      path: `${at}/primary/disable`,
      summary: 'Dissolves the replication set. Secondaries are disconnected and must be enabled again.',
      fields: {},
      returns: {},
      control: async (asked) => {
        const context = contextOf(asked)
        await changeRole(context, () => disable(context, 'primary'))
        asked.warn(RESTARTS)
        return undefined
      },
    }),
    /** @throws KernelError 400 if this cluster is not a primary, or if `id` is missing. An unknown id is not an error. */
    revokeSecondary: controlOperation({
      ...BY_TOKEN,
      path: `${at}/primary/revoke-secondary`,
      summary: 'Revokes a secondary immediately. The secondary keeps its data but receives no further changes.',
      fields: { id: f.text('The id of the secondary, as given when its activation token was created.').needed('') },
      returns: {},
      control: async (asked, { id }) => {
        await revoke(contextOf(asked), id)
        return undefined
      },
    }),
    /** @throws KernelError 400 if this cluster is a primary. */
    generatePublicKey: controlOperation({
      ...BY_TOKEN,
      path: `${at}/secondary/generate-public-key`,
      ...belowSecondary,
      summary:
        'Generates a key pair and returns its public key, with which a primary can encrypt an activation token for this cluster.',
      fields: {},
      returns: { secondary_public_key: f.text('The public key in base64.') },
      control: async (asked) => ({ secondary_public_key: await newPublicKey(contextOf(asked)) }),
    }),
    enableSecondary: controlOperation({
      ...BY_TOKEN,
      path: `${at}/secondary/enable`,
      ...belowSecondary,
      summary: 'Makes this cluster a secondary. The data of this cluster is deleted and replaced by the data of the primary.',
      fields: {
        token: f.text('The activation token.').needed(''),
        primary_api_addr: f
          .text('The address of the primary, used instead of the address in the token. Empty: the address in the token.')
          .default(''),
        ...CA,
      },
      returns: {},
      control: async (asked, input) => {
        if (input.token === '') throw invalid('token: required')
        const context = contextOf(asked)
        const at = checkAddress('primary_api_addr', input.primary_api_addr)
        await changeRole(context, () => join(context, input.token, at))
        for (const warning of warningsOf(input)) asked.warn(warning)
        return undefined
      },
    }),
  }
}
