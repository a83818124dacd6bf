/**
 * What a primary answers to each kind of message.
 */
import { invalid, KernelError } from '../../../core/base/errors.ts'
import { ROOT_NAMESPACE } from '../../../core/contract/namespace.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { conclude } from '../../../core/transaction/transact.ts'
import { acknowledgedIndex } from '../ack/acknowledged-index.ts'
import type { Center } from '../center.ts'
import { noteCounts } from '../counts.ts'
import { pageOfFiltered } from '../filters/expansion.ts'
import type { Member } from '../membership.ts'
import { standInsMessage } from '../roles/stand-ins.ts'
import { lastOf } from '../state/history.ts'
import { DR, PERFORMANCE } from '../state/kind.ts'
import type { Relation } from '../state/records.ts'
import { bytesOf, indexIn, listOf, type Message, objectOf, textOf, textOrNone, textsOf } from '../wire/judged.ts'
import { addressIn, historyIn, logIndexIn } from '../wire/read-messages.ts'
import { countsIn, LONGEST_OF } from '../wire/told-counts.ts'
import { admitPeer, bundleFor, settlePeer } from './activate.ts'
import { answerTree } from './answer-tree.ts'
import { placesBeside } from './beside.ts'
import { fetchFrom } from './fetch.ts'
import { runForwarded } from './forwarded.ts'
import { headOf, standing } from './hello.ts'
import { makeEntity } from './make-entity.ts'
import { News } from './news.ts'
import type { Handlers, ServerParts } from './server.ts'
import { MOST_WANTED, type Vouch, valuesOf } from './values.ts'

const MOST_REQUEST = 65_536

const MOST_HASH = 20

const MOST_MOUNTS = 100_000

const LONGEST_UUID = 64

/** A secondary takes no more. */
const MOST_ADDRESSES = 64

export function handlersOf(center: Center): Pick<ServerParts, 'handlers' | 'activate'> {
  const { insides, membership, host, views, rules } = center
  /** What clusters say to each other waits for nobody's acknowledgement. */
  const noRequest = { ...insides.call, tick: {} }
  const write = async <T>(work: (tx: Tx) => T): Promise<T> =>
    (await conclude(host, insides.topology.corePlace(ROOT_NAMESPACE), noRequest, 'write', work)).value
  const news = new News(center)
  const ofServing: Handlers = {
    forward: (message, peer) => runForwarded(center, message, peer),
    entity: (message, peer) => makeEntity(center, message, peer),
    /** What the secondary does not have, for somebody there who asks. */
    async filtered(message, peer) {
      mustServe(center)
      return { ...(await pageOfFiltered(center, await views.of(peer), textOf(message, 'after'))) }
    },
  }
  const handlers: Handlers = {
    async hello(message, peer, member) {
      if (textOf(message, 'set') !== member.relation.set) throw invalid('set: another set')
      const now = host.clock.now()
      const [history, counts] = [historyIn(message, now), countsIn(message)]
      const told = seenIn(message, now)
      const countsAfter = textOf(message, 'counts_after', LONGEST_OF)
      const comesFirst = center.server.peers.peer(peer)?.until !== undefined
      // A primary that has stepped down for disaster recovery writes nothing; the token ends by itself.
      if (comesFirst && !host.store.commits.mirrors) await write((tx) => settlePeer(tx, host.kind, peer))
      await rules.fenced(center, await rules.provenEpoch(center, peer, history))
      const head = await headOf(host, member.relation.history)
      await center.seen.note({
        ...told,
        id: peer,
        at: now,
        applied: Math.min(told.applied, head),
        leases: [...new Set(told.leases)].filter((uuid) => insides.topology.holder(uuid) !== undefined),
      })
      await noteCounts({ host, membership }, counts)
      const addresses = await addressesOf(center)
      const { upkeep } = center
      const view = await views.of(peer)
      const acknowledge = center.options.ack !== undefined && center.options.ack !== 'local'
      const acknowledged = (newest: number) => acknowledgedIndex(center, newest)
      const parts = { host, membership, upkeep, addresses, acknowledge, acknowledged }
      const shown = await standing(parts, await membership.member(), countsAfter, view)
      if (message['joins'] !== true || host.kind !== PERFORMANCE) return shown
      return { ...shown, stand_ins: await standInsMessage(center) }
    },
    async fetch(message, peer, { relation }) {
      mustServe(center)
      mustBeOf(message, relation)
      const wish = {
        after: logIndexIn(message, 'after', host.clock.now()),
        offset: indexIn(message, 'offset'),
        view: textOrNone(message, 'view', LONGEST_UUID),
        turned: message['turned'] === undefined ? 0 : logIndexIn(message, 'turned', host.clock.now()),
      }
      const wait = indexIn(message, 'wait')
      const now = () => views.of(peer)
      center.seen.heard(peer, Math.min(wish.after, await headOf(host, relation.history)), host.clock.now())
      if (wait > 0 && (await now()).token === wish.view) await news.behind(wish.after, wait)
      const found = await fetchFrom(host, { ends: relation, beside: await placesBeside(center), now }, wish)
      return found ? { ...found } : { gap: true }
    },
    /** A secondary has stored everything up to an index of the present epoch. */
    async held(message, peer, { relation }) {
      const [index, origin] = [indexIn(message, 'index'), textOf(message, 'origin')]
      const view = await views.of(peer)
      const isOfNow = origin === lastOf(relation.history).origin && view.token === textOf(message, 'view', LONGEST_UUID)
      if (!isOfNow || index > (await headOf(host, relation.history))) return {}
      center.seen.heard(peer, index, host.clock.now())
      center.held.told({ id: peer, origin, index, whole: !view.isPartial })
      return {}
    },
    /** From where the log is to be followed by whoever compares trees now. */
    async pin(message, _, { relation }) {
      mustServe(center)
      mustBeOf(message, relation)
      await center.upkeep.run()
      const { value } = await host.kind.folded.read(host.store)
      const ready = value !== undefined && !value.building && value.entry >= value.soundFrom
      const index = relation.certificate?.index ?? lastOf(relation.history).start + (value?.entry ?? 0)
      const beside = await placesBeside(center)
      const served = await beside?.at(value?.entry ?? 0)
      return { index, ready, ...(served ? { served: { ...served } } : {}) }
    },
    async tree(message, peer, member) {
      mustBeOf(message, member.relation)
      const reply = await answerTree(center, member, await views.of(peer), bytesOf(message, 'request', MOST_REQUEST))
      if (!reply) throw invalid('request: it is none')
      return { reply }
    },
    /** The first secondary that has all that a demoted primary had takes its place, and no other one. A filter leaves a part out. */
    async claim(message, peer) {
      const [epoch, index] = [indexIn(message, 'epoch'), indexIn(message, 'index')]
      if ((await views.of(peer)).isPartial) throw noCertificate()
      const relation = await membership.edit((now) => {
        const { certificate } = now
        if (membership.mode !== 'secondary' || certificate?.epoch !== epoch || certificate.index !== index) throw noCertificate()
        if (certificate.claimed !== undefined && certificate.claimed !== peer) throw noCertificate()
        return certificate.claimed === peer ? undefined : { ...now, certificate: { ...certificate, claimed: peer } }
      })
      return { index: relation.certificate?.index ?? 0 }
    },
    ...(host.kind === PERFORMANCE ? ofServing : {}),
    async values(message, peer, member) {
      mustBeOf(message, member.relation)
      const wanted = listOf(message, 'wanted', MOST_WANTED).map((item) => {
        const one = objectOf(item, 'wanted')
        return { domain: textOf(one, 'domain', 64), hash: bytesOf(one, 'hash', MOST_HASH) }
      })
      const vouch: Vouch = (key, stored) => center.inspector.vouchesFor(key, stored, member)
      return { ...(await valuesOf(host, { wanted, offset: indexIn(message, 'offset') }, vouch, () => views.of(peer))) }
    },
  }
  const activate = async (request: Message, member: Member): Promise<Message> => {
    if (membership.mode !== 'primary') throw new KernelError('ERR_UNAVAILABLE', 'this cluster is no primary')
    return bundleFor(
      host.kind,
      member,
      await write((tx) => admitPeer(tx, host.kind, request)),
      await center.nodes.addresses(),
      center.self,
    )
  }
  return { handlers, activate }
}

/** The values that a secondary asserts about itself. */
const seenIn = (message: Message, now: number) => ({
  cluster_address: addressIn(message, 'address'),
  api_address: addressIn(message, 'api'),
  applied: logIndexIn(message, 'applied', now),
  leases: textsOf(message, 'leases', MOST_MOUNTS, LONGEST_UUID),
  cluster: textOrNone(message, 'cluster', LONGEST_UUID),
})

/** Its kernels, and whoever takes their place: clusters for disaster recovery answer nobody before that. */
async function addressesOf({ host, nodes, beside }: Center): Promise<readonly string[]> {
  const own = await nodes.addresses()
  if (host.kind === DR || beside.membership.mode !== 'primary') return own
  const known = new Set((await beside.server.peers.load()).map(({ id }) => id))
  const heard = (await beside.seen.all()).filter(({ id, cluster_address }) => known.has(id) && cluster_address !== '')
  return [...new Set([...own, ...heard.map(({ cluster_address }) => cluster_address)])].slice(0, MOST_ADDRESSES)
}

const noCertificate = () => invalid('the place of this primary is taken, or was never given up')

/** Whoever asks was greeted in an epoch. Earlier releases do not say. @throws KernelError 503 for another one. */
function mustBeOf(message: Message, { history }: Relation): void {
  if (message['origin'] === undefined || textOf(message, 'origin') === lastOf(history).origin) return
  throw new KernelError('ERR_UNAVAILABLE', 'this cluster is not the primary that was greeted')
}

function mustServe({ membership }: Center): void {
  if (membership.mode === 'primary' || membership.known?.relation.certificate) return
  throw new KernelError('ERR_UNAVAILABLE', 'this cluster is no primary')
}
