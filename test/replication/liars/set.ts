/** A primary, a secondary that sends it false messages, and an honest secondary. */
import { expect } from 'vitest'
import type { Kernel } from '../../../src/index.ts'
import { REPLICATION, type ReplicationContext } from '../../../src/sys/replication/replication-context.ts'
import { REPLICATION_RULES } from '../../../src/sys/replication/rules.ts'
import { headOf } from '../../../src/sys/replication/serve/hello.ts'
import type { History } from '../../../src/sys/replication/state/history.ts'
import { type Kind, rootOf, ticked, tokenOf } from '../failovers/kinds.ts'
import { type Site, Sites } from '../failovers/sites.ts'
import { greetingOf, type Message } from '../greeting.ts'

export type { Message }

/** The replication context of a cluster for one kind. */
export const centerOf = ({ internals }: Site, { name }: Kind): ReplicationContext => REPLICATION.of(internals.host)[name]

export class LiarSet {
  readonly kind: Kind
  readonly sites: Sites
  readonly primary: Site
  readonly liar: Site
  readonly honest: Site
  #made = 0

  private constructor(kind: Kind, sites: Sites, [primary, liar, honest]: readonly [Site, Site, Site]) {
    this.kind = kind
    this.sites = sites
    this.primary = primary
    this.liar = liar
    this.honest = honest
  }

  static async make(kind: Kind, options: Parameters<Sites['open']>[0] = {}): Promise<LiarSet> {
    const sites = new Sites()
    const open = () => sites.open(options)
    const set = new LiarSet(kind, sites, [await open(), await open(), await open()])
    const { primary, liar, honest } = set
    await primary.kernel.kv.writeSecret({ path: 'before', data: { a: 1 } })
    await kind.of(primary.kernel).enablePrimary()
    await set.enable(liar, primary, 'liar')
    await set.enable(honest, primary, 'honest')
    return set
  }

  async enable(secondary: Site, primary: Site, id: string): Promise<void> {
    await this.kind.of(secondary.kernel).enableSecondary({ token: await tokenOf(this.kind, primary.kernel, id) })
    await ticked(secondary.kernel)
  }

  /** Sends a message as the lying secondary. Returns the answer of the primary, or the code of its error. */
  async exchangeMessage(message: Message): Promise<Message> {
    return this.center(this.liar)
      .follower.ask(message, new AbortController().signal)
      .catch((error: { readonly code?: string; readonly message: string }) => ({ refused: error.code, why: error.message }))
  }

  center(site: Site): ReplicationContext {
    return centerOf(site, this.kind)
  }

  async history(site: Site): Promise<History> {
    return (await this.center(site).membership.member()).relation.history
  }

  /** The greeting of the lying secondary with some members replaced. */
  greeting(replaced: Message): Promise<Message> {
    return greetingOf(this.center(this.liar), replaced)
  }

  async epochOf(site: Site): Promise<number> {
    const { membership, host } = this.center(site)
    await host.store.commits.loadRole()
    return host.kind.partOf(membership.role).epoch
  }

  /** Expects that the primary still is one in the same epoch, and that the honest secondary receives its writes. */
  async expectUnmoved(epoch: number): Promise<void> {
    const { kind, primary, honest } = this
    expect(await kind.of(primary.kernel).readStatus()).toMatchObject({ mode: 'primary' })
    expect(await this.epochOf(primary)).toBe(epoch)
    await this.expectLevel(primary, honest)
  }

  async expectLevel(primary: Site, secondary: Site): Promise<void> {
    const { kind } = this
    await primary.kernel.kv.writeSecret({ path: 'later', data: { n: ++this.#made } })
    await ticked(secondary.kernel)
    expect(await kind.of(secondary.kernel).readStatus()).toMatchObject({ mode: 'secondary', state: 'stream-wals' })
    expect(await rootOf(kind, secondary.kernel)).toBe(await rootOf(kind, primary.kernel))
  }

  /** Expects that the honest secondary can be promoted by force, and that a new cluster and the former primary can follow it. */
  async expectFailover(epoch: number): Promise<void> {
    const { kind, primary, honest, sites } = this
    await kind.of(honest.kernel).promote({ force: true })
    expect(await this.epochOf(honest)).toBe(epoch + 1)
    const joining = await sites.open()
    await this.enable(joining, honest, 'joining')
    await this.expectLevel(honest, joining)
    await kind.of(primary.kernel).demotePrimary()
    await kind.of(primary.kernel).updatePrimary({ token: await tokenOf(kind, honest.kernel, 'former') })
    await ticked(primary.kernel)
    await this.expectLevel(honest, primary)
  }

  /** Expects that the honest secondary can be promoted after its primary has sent false answers, and that a new cluster can follow it. */
  async expectTakenOver(): Promise<void> {
    const { kind, honest, sites } = this
    await kind.of(honest.kernel).promote({ force: true })
    const epoch = await this.epochOf(honest)
    const joining = await sites.open()
    await this.enable(joining, honest, 'joining')
    await this.expectLevel(honest, joining)
    // A second promotion must be possible.
    await kind.of(joining.kernel).promote({ force: true })
    expect(await this.epochOf(joining)).toBe(epoch + 1)
    await kind.of(honest.kernel).demotePrimary()
    await kind.of(honest.kernel).updatePrimary({ token: await tokenOf(kind, joining.kernel, 'back') })
    await ticked(honest.kernel)
    await this.expectLevel(joining, honest)
  }

  /** Makes a secondary compare all records with its primary. */
  async mustCompare(site: Site): Promise<void> {
    const { host } = this.center(site)
    const { value } = await host.kind.replicaProgress.read(host.store)
    if (value) await host.store.commit([host.kind.replicaProgress.put(host.store, { ...value, applied: 0, differs: true })])
  }

  /** The types of messages that the primary answers. */
  handledTypes(): string[] {
    return Object.keys(REPLICATION_RULES.handlersOf(this.center(this.primary)).handlers)
  }

  /** Expects that the primary's records about its secondaries are small, and that no position in them is ahead of its own. */
  async expectPeersBounded(): Promise<void> {
    const { host, heartbeats, acknowledgements, membership } = this.center(this.primary)
    const { relation } = await membership.member()
    const head = await headOf(host, relation.history)
    for (const peer of await heartbeats.all()) {
      expect(JSON.stringify(peer).length).toBeLessThan(2000)
      expect(peer.applied).toBeLessThanOrEqual(head)
    }
    for (const { index } of acknowledgements.all) expect(index).toBeLessThanOrEqual(head)
  }

  close(): Promise<void> {
    return this.sites.close()
  }
}

export const modeOf = async (kind: Kind, kernel: Kernel): Promise<string> => (await kind.of(kernel).readStatus()).mode
