/**
 * What a primary answers to each kind of message.
 */
import { invalid, KernelError } from '../../../core/base/errors.ts'
import { ROOT_NAMESPACE } from '../../../core/contract/namespace.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { conclude } from '../../../core/transaction/transact.ts'
import type { Center } from '../center.ts'
import { noteCounts } from '../counts.ts'
import type { Member } from '../membership.ts'
import { fenced } from '../roles/fenced.ts'
import { lastOf } from '../state/history.ts'
import { FOLDED } from '../state/records.ts'
import { treeIn } from '../state/tree-store.ts'
import { answer } from '../tree/diff/answer.ts'
import { bytesOf, indexIn, listOf, type Message, objectOf, textOf, textsOf } from '../wire/judged.ts'
import { historyIn } from '../wire/read-messages.ts'
import { countsIn, LONGEST_OF } from '../wire/told-counts.ts'
import { admitPeer, bundleFor, settlePeer } from './activate.ts'
import { fetchFrom } from './fetch.ts'
import { makeEntity, runForwarded } from './forwarded.ts'
import { standing } from './hello.ts'
import { News } from './news.ts'
import type { Handlers, ServerParts } from './server.ts'
import { MOST_WANTED, valuesOf } from './values.ts'

const MOST_REQUEST = 65_536

const MOST_HASH = 20

const MOST_MOUNTS = 100_000

export function handlersOf(center: Center): Pick<ServerParts, 'handlers' | 'activate'> {
  const { insides, membership } = center
  const { host } = insides
  const write = async <T>(work: (tx: Tx) => T): Promise<T> =>
    (await conclude(host, insides.topology.corePlace(ROOT_NAMESPACE), insides.call, 'write', work)).value
  const news = new News(center)
  const handlers: Handlers = {
    async hello(message, peer, member) {
      if (textOf(message, 'set') !== member.relation.set) throw invalid('set: another set')
      const [history, counts] = [historyIn(message), countsIn(message)]
      const countsAfter = textOf(message, 'counts_after', LONGEST_OF)
      if (center.server.peers.peer(peer)?.until !== undefined) await write((tx) => settlePeer(tx, peer))
      await fenced(center, Math.max(indexIn(message, 'max_epoch'), ...history.map(({ epoch }) => epoch)))
      await center.seen.note({
        id: peer,
        cluster_address: textOf(message, 'address'),
        api_address: textOf(message, 'api'),
        at: host.clock.now(),
        applied: indexIn(message, 'applied'),
        leases: textsOf(message, 'leases', MOST_MOUNTS),
      })
      await noteCounts({ host, membership }, counts)
      return standing({ host, membership, nodes: center.nodes }, await membership.member(), countsAfter)
    },
    async fetch(message, peer, { relation }) {
      mustServe(center)
      const [after, offset, wait] = [indexIn(message, 'after'), indexIn(message, 'offset'), indexIn(message, 'wait')]
      center.seen.heard(peer, after, host.clock.now())
      if (wait > 0) await news.behind(after, wait)
      const found = await fetchFrom(host, relation, after, offset)
      return found ? { ...found } : { gap: true }
    },
    /** From where the log is to be followed by whoever compares trees now. */
    async pin(_, __, { relation }) {
      mustServe(center)
      await center.upkeep.run()
      const { value } = await FOLDED.read(host.store)
      const ready = value !== undefined && !value.building && value.entry >= value.soundFrom
      const index = relation.certificate?.index ?? lastOf(relation.history).start + (value?.entry ?? 0)
      return { index, ready }
    },
    async tree(message) {
      const reply = await answer(treeIn(host), bytesOf(message, 'request', MOST_REQUEST))
      if (!reply) throw invalid('request: it is none')
      return { reply }
    },
    /** Whoever has all that a demoted primary had takes its place: the first one, and nobody else. */
    async claim(message, peer) {
      const [epoch, index] = [indexIn(message, 'epoch'), indexIn(message, 'index')]
      const relation = await membership.edit((now) => {
        const { certificate } = now
        if (membership.mode !== 'secondary' || certificate?.epoch !== epoch || certificate.index !== index) throw noCertificate()
        if (certificate.claimed !== undefined && certificate.claimed !== peer) throw noCertificate()
        return certificate.claimed === peer ? undefined : { ...now, certificate: { ...certificate, claimed: peer } }
      })
      return { index: relation.certificate?.index ?? 0 }
    },
    forward: (message, peer) => runForwarded(center, message, peer),
    entity: (message) => makeEntity(center, message),
    async values(message) {
      const wanted = listOf(message, 'wanted', MOST_WANTED).map((item) => {
        const one = objectOf(item, 'wanted')
        return { domain: textOf(one, 'domain', 64), hash: bytesOf(one, 'hash', MOST_HASH) }
      })
      return { ...(await valuesOf(host, wanted, indexIn(message, 'offset'))) }
    },
  }
  const activate = async (request: Message, member: Member): Promise<Message> => {
    if (membership.mode !== 'primary') throw new KernelError('ERR_UNAVAILABLE', 'this cluster is no primary')
    return bundleFor(member, await write((tx) => admitPeer(tx, request)), await center.nodes.addresses(), center.self)
  }
  return { handlers, activate }
}

const noCertificate = () => invalid('the place of this primary is taken, or was never given up')

function mustServe({ membership }: Center): void {
  if (membership.mode === 'primary' || membership.known?.relation.certificate) return
  throw new KernelError('ERR_UNAVAILABLE', 'this cluster is no primary')
}
