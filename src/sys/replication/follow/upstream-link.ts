/** Finds the primary that this cluster follows and keeps the link to it. */
import type { ReplicationTransport } from '../../../core/contract/replication-transport.ts'
import { Link, type LinkMessage, PrimaryRefusedError, publicKeyFromHex } from '../link.ts'
import type { Membership, SetMember } from '../membership.ts'
import type { UpstreamRecord } from '../state/records.ts'
import type { SetHost } from '../state/set-host.ts'
import type { PrimaryState } from './primary-state.ts'

export interface UpstreamParts {
  readonly host: SetHost
  readonly membership: Membership
  readonly transport: ReplicationTransport
}

export class UpstreamLink {
  readonly #parts: UpstreamParts
  #link: { readonly of: UpstreamRecord; readonly link: Link } | undefined
  /** The membership for which the link and the addresses were last determined. */
  #known: { readonly member: SetMember; readonly link: Link; readonly addresses: readonly string[] } | undefined

  constructor(parts: UpstreamParts) {
    this.#parts = parts
  }

  /** @throws PrimaryUnreachableError, PrimaryRefusedError */
  async ask(message: LinkMessage, signal: AbortSignal, once: boolean): Promise<LinkMessage> {
    const { link, addresses } = await this.#to()
    return link.ask(addresses, message, signal, once)
  }

  /** Stores the addresses of the primary that it reports in its answer to a hello. */
  async noteAddresses({ addresses }: PrimaryState): Promise<void> {
    const { membership } = this.#parts
    const { upstream } = (await membership.member()).relation
    if (!upstream || addresses.length === 0 || addresses.join('\n') === upstream.addresses.join('\n')) return
    await membership.edit((now) => now.upstream && { ...now, upstream: { ...now.upstream, addresses } })
  }

  end(): void {
    this.#link?.link.end()
    this.#link = undefined
    this.#known = undefined
  }

  async #to(): Promise<{ readonly link: Link; readonly addresses: readonly string[] }> {
    const { host, membership, transport } = this.#parts
    const member = await membership.member()
    if (this.#known?.member === member) return this.#known
    const { relation, keys } = member
    const { upstream } = relation
    if (!upstream) throw new PrimaryRefusedError('idle', 'no primary is known')
    // Try the address in the activation token last, because the addresses of the primary may have changed since.
    const addresses = [...new Set([...upstream.addresses, relation.primary_cluster_addr])].filter((address) => address !== '')
    const known = this.#link
    if (known && known.of.id === upstream.id && known.of.key === upstream.key && known.link.target.identity === keys.identity)
      return this.#keep(member, known.link, addresses)
    known?.link.end()
    const link = new Link(host, transport, { id: upstream.id, key: publicKeyFromHex(upstream.key), identity: keys.identity })
    this.#link = { of: upstream, link }
    return this.#keep(member, link, addresses)
  }

  #keep(member: SetMember, link: Link, addresses: readonly string[]) {
    this.#known = { member, link, addresses }
    return this.#known
  }
}
