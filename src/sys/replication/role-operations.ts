/**
 * The operations that both kinds of replication have, each at its paths.
 */
import { isAddressText } from '../../core/base/address-text.ts'
import { invalid } from '../../core/base/errors.ts'
import { type Asked, controlOperation } from '../../core/contract/operation.ts'
import type { Parsed } from '../../core/field/field.ts'
import { f } from '../../core/field/fields.ts'
import { REPLICATION, type ReplicationContext } from './replication-context.ts'
import { changeRole } from './roles/change-role.ts'
import { demotePrimary as stepDown } from './roles/demote-primary.ts'
import { disable } from './roles/disable.ts'
import { enablePrimary as enable } from './roles/enable-primary.ts'
import { enableSecondary as join } from './roles/enable-secondary.ts'
import { promote } from './roles/promote.ts'
import { newPublicKey } from './roles/public-key.ts'
import { revoke } from './roles/revoke-secondary.ts'
import { updatePrimary as update } from './roles/update-primary.ts'
import { showsAddresses } from './shows-addresses.ts'
import { DR, type ReplicationKind } from './state/replication-kind.ts'
import { statusOf } from './status.ts'
import { STATUS } from './status-fields.ts'

const RESTARTS = 'This cluster is changing its part in replication; for a moment requests may be refused.'

const NO_CA = 'ca_file and ca_path are not needed: the key of the token secures the channel.'

/** Of everything that changes the part of a cluster by the authority of its token. */
export const BY_TOKEN = { kind: 'write', verb: 'POST', sudo: true, rootOnly: true } as const

const address = f.text('Where secondaries reach this cluster; empty: where its kernels listen.').default('')

/** Each may take as long as a port may. */
const MAX_ADDRESSES = 32

/** Nobody needs longer ones. */
const MAX_ADDRESS_CHARACTERS = 256

const CA = {
  ca_file: f.text('Not needed; a warning says so.').default(''),
  ca_path: f.text('Not needed; a warning says so.').default(''),
}

export const PROMOTE_FIELDS = {
  primary_cluster_addr: address,
  force: f.bool('Takes over although the primary lives, or has what is not here.').default(false),
}

export const UPDATE_FIELDS = {
  token: f.text('An activation token of the new primary; empty: the secondary knows no primary any more.').optional(),
  primary_api_addr: f.text('Where the primary is reached, instead of where the token says.').default(''),
  ...CA,
  update_primary_addrs: f.list('Where the known primary is reached, at most 32; tried in order.', MAX_ADDRESSES).optional(),
}

function checkAddress(name: string, text: string): string {
  if (text.length > MAX_ADDRESS_CHARACTERS) throw invalid(`${name}: must have at most ${MAX_ADDRESS_CHARACTERS} characters`)
  if (!isAddressText(text)) throw invalid(`${name}: must consist of the characters of URLs`)
  return text
}

const warningsOf = ({ ca_file, ca_path }: { readonly ca_file: string; readonly ca_path: string }): readonly string[] =>
  ca_file === '' && ca_path === '' ? [RESTARTS] : [RESTARTS, NO_CA]

/** A secondary becomes the primary. Who asks for this and for the next two is judged before, by each kind in its own way. */
export async function runPromote(
  asked: Asked,
  context: ReplicationContext,
  { primary_cluster_addr, force }: Parsed<typeof PROMOTE_FIELDS>,
): Promise<void> {
  const wish = { address: checkAddress('primary_cluster_addr', primary_cluster_addr), force }
  for (const warning of [RESTARTS, ...(await changeRole(context, () => promote(context, wish)))]) asked.warn(warning)
}

/** A secondary becomes a cluster of its own. */
export async function runDisableSecondary(asked: Asked, context: ReplicationContext): Promise<void> {
  await changeRole(context, () => disable(context, 'secondary'))
  asked.warn(RESTARTS)
}

/** A secondary gets another primary, or another way to it. */
export async function runUpdatePrimary(
  asked: Asked,
  context: ReplicationContext,
  input: Parsed<typeof UPDATE_FIELDS>,
): Promise<void> {
  const { token, update_primary_addrs: addresses } = input
  for (const one of addresses ?? []) checkAddress('update_primary_addrs', one)
  const wish = { token, addresses, address: checkAddress('primary_api_addr', input.primary_api_addr) }
  await changeRole(context, () => update(context, wish))
  for (const warning of warningsOf(input)) asked.warn(warning)
}

export function roleOperations(kind: ReplicationKind) {
  const at = `/replication/${kind.name}` as const
  const contextOf = (asked: Asked): ReplicationContext => REPLICATION.of(asked)[kind.name]
  /** Of what a secondary for disaster recovery serves of its own kind. */
  const belowSecondary = kind === DR ? ({ onMirror: true } as const) : {}
  return {
    readStatus: controlOperation({
      kind: 'read',
      verb: 'GET',
      path: `${at}/status`,
      unauthenticated: true,
      readsToken: 'if valid',
      rootOnly: true,
      onMirror: true,
      whileJoining: true,
      summary: 'Tells the part of this cluster in its set, and how far it has come.',
      fields: {},
      returns: STATUS,
      wire: (data) => ({ data, repeated: true }),
      control: (asked) => statusOf(contextOf(asked), showsAddresses(asked.call, `${at}/status`)),
    }),
    enablePrimary: controlOperation({
      ...BY_TOKEN,
      path: `${at}/primary/enable`,
      summary: 'Makes this cluster the primary of a new set.',
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
    demotePrimary: controlOperation({
      ...BY_TOKEN,
      path: `${at}/primary/demote`,
      summary: 'Makes the primary a secondary that knows no primary; it keeps what it holds.',
      fields: {},
      returns: {},
      control: async (asked) => {
        const context = contextOf(asked)
        await changeRole(context, () => stepDown(context))
        asked.warn(RESTARTS)
        return undefined
      },
    }),
    disablePrimary: controlOperation({
      ...BY_TOKEN,
      path: `${at}/primary/disable`,
      summary: 'Ends the set: secondaries are cut off, and have to be enabled anew.',
      fields: {},
      returns: {},
      control: async (asked) => {
        const context = contextOf(asked)
        await changeRole(context, () => disable(context, 'primary'))
        asked.warn(RESTARTS)
        return undefined
      },
    }),
    revokeSecondary: controlOperation({
      ...BY_TOKEN,
      path: `${at}/primary/revoke-secondary`,
      summary: 'Cuts a secondary off at once; it keeps what it holds.',
      fields: { id: f.text('The name that its token was made with.').needed('') },
      returns: {},
      control: async (asked, { id }) => {
        await revoke(contextOf(asked), id)
        return undefined
      },
    }),
    generatePublicKey: controlOperation({
      ...BY_TOKEN,
      path: `${at}/secondary/generate-public-key`,
      ...belowSecondary,
      summary: 'Makes a key that a primary can seal an activation token to.',
      fields: {},
      returns: { secondary_public_key: f.text('Base64.') },
      control: async (asked) => ({ secondary_public_key: await newPublicKey(contextOf(asked)) }),
    }),
    enableSecondary: controlOperation({
      ...BY_TOKEN,
      path: `${at}/secondary/enable`,
      ...belowSecondary,
      summary: 'Makes this cluster a secondary: what it holds is cleared, and what its primary holds comes.',
      fields: {
        token: f.text('The activation token.').needed(''),
        primary_api_addr: f.text('Where the primary is reached, instead of where the token says.').default(''),
        ...CA,
      },
      returns: {},
      control: async (asked, input) => {
        if (input.token === '') throw invalid('token: must be given')
        const context = contextOf(asked)
        const at = checkAddress('primary_api_addr', input.primary_api_addr)
        await changeRole(context, () => join(context, input.token, at))
        for (const warning of warningsOf(input)) asked.warn(warning)
        return undefined
      },
    }),
  }
}
