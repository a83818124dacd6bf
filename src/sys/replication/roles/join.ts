/** First contact with a primary: exchanges the token for an activation bundle, and sends a hello to test the bundle. */
import { KernelError } from '../../../core/base/errors.ts'
import { toHex } from '../../../core/base/identifiers.ts'
import { CURVE_25519 } from '../../../core/crypto/curves/curve-code.ts'
import { beginExchange } from '../channel/begin-exchange.ts'
import { openBox } from '../channel/box.ts'
import { type KeyPair, newKeyPair } from '../channel/key-pair.ts'
import { helloMessage } from '../follow/hello-message.ts'
import { type PrimaryState, readPrimaryState } from '../follow/primary-state.ts'
import { Link, PrimaryRefusedError, runSteps } from '../link.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { invalidActivationToken } from '../serve/activate.ts'
import { LAYOUT } from '../serve/hello.ts'
import type { UpstreamRecord } from '../state/records.ts'
import { loadCandidate } from '../state/set-keys.ts'
import { objectOf } from '../wire/message-members.ts'
import { pack } from '../wire/packed.ts'
import { unpack } from '../wire/unpack.ts'
import { type ActivationBundle, readActivationBundle } from './activation-bundle.ts'
import { parseActivationToken } from './activation-token.ts'
import { type BootstrapNames, readBootstrapNames } from './bootstrap-names.ts'

export interface JoinResult {
  readonly bundle: ActivationBundle
  /** The key pair that this cluster must use in the set. The caller must wipe it. */
  readonly identity: KeyPair
  readonly primaryState: PrimaryState
  readonly bootstrapNames: BootstrapNames | undefined
}

/**
 * Exchanges the token for an activation bundle and greets the primary. Does not change this cluster.
 *
 * @param address The address to use instead of the one in the token; empty to use the one in the token.
 * @throws KernelError 400 if the token is invalid or the primary's records have another layout; 502 if the primary does not answer.
 */
export async function joinSet(context: ReplicationContext, token: string, address: string): Promise<JoinResult> {
  const { host } = context
  const read = parseActivationToken(token)
  const parts = { crypto: host.env.crypto, entropy: host.env.entropy }
  let identity: KeyPair
  let bundle: ActivationBundle
  if (read.form === 'sealed') {
    const candidate = await loadCandidate(host)
    if (!candidate) throw invalidActivationToken()
    const opened = await runSteps(host.clock, openBox(parts, candidate, read.bytes, host.kind.purpose))
    if (!opened) throw invalidActivationToken()
    identity = candidate
    bundle = readActivationBundle(objectOf(unpack(opened)?.value, 'token'), host.kind.purpose, host.clock.now())
    opened.fill(0)
  } else {
    await CURVE_25519.load()
    identity = newKeyPair(parts)
    bundle = await activate(context, read, identity, address || read.address)
  }
  return { bundle, identity, ...(await greetPrimary(context, bundle, identity, address)) }
}

async function activate(
  { host, transport }: ReplicationContext,
  { text, key }: { readonly text: string; readonly key: Uint8Array },
  identity: KeyPair,
  address: string,
): Promise<ActivationBundle> {
  const { clock, env } = host
  const exchange = beginExchange({ crypto: env.crypto, entropy: env.entropy }, key, host.kind.activation)
  try {
    const message = await runSteps(clock, exchange.seal(pack({ token: text, key: identity.publicKey })))
    if (!message) throw invalidActivationToken()
    const answer = await transport.request(address, message, env.closing).catch((cause: unknown) => {
      throw new KernelError('ERR_UPSTREAM', 'the primary cannot be reached: nothing was changed on this cluster', { cause })
    })
    const opened = await runSteps(clock, exchange.open(answer))
    const value = opened && unpack(opened)?.value
    opened?.fill(0)
    if (typeof value !== 'object' || value === null)
      throw new KernelError('ERR_UPSTREAM', 'the cluster that answers at this address is not the primary that issued the token')
    if ('refused' in value) throw refusalOf(value.refused)
    return readActivationBundle(value as Record<string, unknown>, host.kind.purpose, clock.now())
  } finally {
    exchange.end()
  }
}

function refusalOf(refused: unknown): KernelError {
  const { code } = refused as { readonly code?: unknown }
  if (code === 'ERR_UNAVAILABLE')
    return new KernelError('ERR_UPSTREAM', 'the primary cannot activate a secondary at the moment; retry')
  return invalidActivationToken()
}

async function greetPrimary(
  context: ReplicationContext,
  bundle: ActivationBundle,
  identity: KeyPair,
  address: string,
): Promise<Pick<JoinResult, 'primaryState' | 'bootstrapNames'>> {
  const { host, transport, self, membership } = context
  const now = (await membership.current())?.relation
  // If this cluster already belongs to the set, send its own history, from which a former primary can learn that another cluster has taken
  // over.
  const shown = now?.set === bundle.set ? now : bundle
  const link = new Link(host, transport, { id: bundle.id, key: bundle.key, identity })
  const addresses = [...new Set([...(address ? [address] : []), ...bundle.addresses, bundle.address])]
  try {
    const answer = await link.ask(addresses, { ...helloMessage(shown, self), joins: true }, host.env.closing)
    const primaryState = readPrimaryState(answer, host.clock.now())
    if (primaryState.layout === LAYOUT) return { primaryState: primaryState, bootstrapNames: readBootstrapNames(answer) }
    throw new KernelError(
      'ERR_INVALID_REQUEST',
      `token: the primary’s records have layout ${primaryState.layout}, but this cluster uses layout ${LAYOUT}: run the same release on both clusters`,
    )
  } catch (error) {
    // An encrypted token is not checked before this hello. The primary refuses the hello if the secondary was revoked after the token was
    // created.
    if (error instanceof PrimaryRefusedError) throw invalidActivationToken()
    throw error
  } finally {
    link.end()
  }
}

export const upstreamOf = ({ bundle, primaryState }: JoinResult): UpstreamRecord => ({
  id: bundle.id,
  key: toHex(bundle.key),
  addresses: primaryState.addresses.length > 0 ? primaryState.addresses : bundle.addresses,
  api_address: bundle.api_address,
  forward: bundle.forward,
})
