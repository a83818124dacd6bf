/**
 * The first words with a primary: the token is exchanged for a bundle, and a greeting shows that the bundle is good.
 */
import { KernelError } from '../../../core/base/errors.ts'
import { toHex } from '../../../core/base/identifiers.ts'
import type { Center } from '../center.ts'
import { beginExchange } from '../channel/begin-exchange.ts'
import { openBox } from '../channel/box.ts'
import { type KeyPair, newKeyPair } from '../channel/key-pair.ts'
import { helloMessage } from '../follow/hello-message.ts'
import { readStanding, type Standing } from '../follow/standing.ts'
import { drive, Link, Refused } from '../link.ts'
import { noActivation } from '../serve/activate.ts'
import { LAYOUT } from '../serve/hello.ts'
import type { Upstream } from '../state/records.ts'
import { loadCandidate } from '../state/set-keys.ts'
import { objectOf } from '../wire/judged.ts'
import { pack, unpack } from '../wire/packed.ts'
import { type Bundle, readBundle } from './bundle.ts'
import { readStandIns, type StandIns } from './stand-ins.ts'
import { readTokenText } from './token-text.ts'

export interface Joined {
  readonly bundle: Bundle
  /** This cluster's own key pair from now on. The caller wipes it. */
  readonly identity: KeyPair
  readonly standing: Standing
  readonly standIns: StandIns | undefined
}

/**
 * Nothing here changes by it.
 * @param address Where to ask instead of where the token says.
 * @throws KernelError 400 for a token that activates nothing, 502 where nobody answers.
 */
export async function join(center: Center, token: string, address: string): Promise<Joined> {
  const { host } = center
  const read = readTokenText(token)
  const parts = { crypto: host.env.crypto, entropy: host.env.entropy }
  let identity: KeyPair
  let bundle: Bundle
  if (read.form === 'sealed') {
    const candidate = await loadCandidate(host)
    if (!candidate) throw noActivation()
    const opened = await drive(host.clock, openBox(parts, candidate, read.bytes, host.kind.purpose))
    if (!opened) throw noActivation()
    identity = candidate
    bundle = readBundle(objectOf(unpack(opened)?.value, 'token'), host.kind.purpose, host.clock.now())
    opened.fill(0)
  } else {
    identity = newKeyPair(parts)
    bundle = await activate(center, read, identity, address || read.address)
  }
  return { bundle, identity, ...(await greet(center, bundle, identity, address)) }
}

async function activate(
  { host, transport }: Center,
  { text, key }: { readonly text: string; readonly key: Uint8Array },
  identity: KeyPair,
  address: string,
): Promise<Bundle> {
  const { clock, env } = host
  const exchange = beginExchange({ crypto: env.crypto, entropy: env.entropy }, key, host.kind.activation)
  try {
    const message = await drive(clock, exchange.seal(pack({ token: text, key: identity.publicKey })))
    if (!message) throw noActivation()
    const answer = await transport.request(address, message, env.closing).catch((cause: unknown) => {
      throw new KernelError('ERR_UPSTREAM', 'the primary cannot be reached: nothing was changed here', { cause })
    })
    const opened = await drive(clock, exchange.open(answer))
    const value = opened && unpack(opened)?.value
    opened?.fill(0)
    if (typeof value !== 'object' || value === null)
      throw new KernelError('ERR_UPSTREAM', 'who answers at the address is not the primary of the token')
    if ('refused' in value) throw refusalOf(value.refused)
    return readBundle(value as Record<string, unknown>, host.kind.purpose, clock.now())
  } finally {
    exchange.end()
  }
}

function refusalOf(refused: unknown): KernelError {
  const { code } = refused as { readonly code?: unknown }
  if (code === 'ERR_UNAVAILABLE') return new KernelError('ERR_UPSTREAM', 'the primary is not able to activate a secondary now')
  return noActivation()
}

async function greet(
  center: Center,
  bundle: Bundle,
  identity: KeyPair,
  address: string,
): Promise<Pick<Joined, 'standing' | 'standIns'>> {
  const { host, transport, self, membership } = center
  const now = (await membership.current())?.relation
  // A former primary may hear by this that another cluster has taken its place.
  const shown = now?.set === bundle.set ? now : bundle
  const link = new Link(host, transport, { id: bundle.id, key: bundle.key, identity })
  const addresses = [...new Set([...(address ? [address] : []), ...bundle.addresses, bundle.address])]
  try {
    const answer = await link.ask(addresses, { ...helloMessage(shown, self), joins: true }, host.env.closing)
    const standing = readStanding(answer, host.clock.now())
    if (standing.layout === LAYOUT) return { standing, standIns: readStandIns(answer) }
    throw new KernelError(
      'ERR_INVALID_REQUEST',
      `token: the primary’s records have layout ${standing.layout}, and those here ${LAYOUT}`,
    )
  } catch (error) {
    // A bundle that was given ahead may have been revoked since.
    if (error instanceof Refused) throw noActivation()
    throw error
  } finally {
    link.end()
  }
}

export const upstreamOf = ({ bundle, standing }: Joined): Upstream => ({
  id: bundle.id,
  key: toHex(bundle.key),
  addresses: standing.addresses.length > 0 ? standing.addresses : bundle.addresses,
  api_address: bundle.api_address,
  forward: bundle.forward,
})
