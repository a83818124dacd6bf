/** The primary's handlers for the messages of secondaries, keyed by the kind of message. */
import { invalid, KernelError } from '../../../core/base/errors.ts'
import { ROOT_NAMESPACE } from '../../../core/contract/namespace.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { transactAndEnd } from '../../../core/transaction/transact.ts'
import { acknowledgedIndex } from '../ack/acknowledged-index.ts'
import { storeReportedCounts } from '../counts.ts'
import { filteredPathsPage } from '../filters/filtered-paths.ts'
import { newestEntry } from '../log/log-pages.ts'
import type { SetMember } from '../membership.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { bootstrapNamesMessage } from '../roles/bootstrap-names.ts'
import { lastOf } from '../state/history.ts'
import type { Relation } from '../state/records.ts'
import { DR, PERFORMANCE } from '../state/replication-kind.ts'
import { bytesMember, indexIn, listOf, type Message, objectOf, stringMember, textsOf } from '../wire/message-members.ts'
import { addressIn, historyIn, logIndexIn } from '../wire/read-messages.ts'
import { countsIn, MAX_COUNT_KEY_CHARACTERS } from '../wire/reported-counts.ts'
import { activatePeer, bundleFor, confirmPeer } from './activate.ts'
import { answerTree } from './answer-tree.ts'
import { fetchFrom } from './fetch.ts'
import { runForwarded } from './forwarded.ts'
import { headOf, primaryStateMessage } from './hello.ts'
import { LogTail } from './log-tail.ts'
import { makeEntity } from './make-entity.ts'
import { performancePositions } from './performance-positions.ts'
import type { Handlers, ServerParts } from './replication-server.ts'
import { MAX_WANTED_VALUES, type VerifyRecord, valuesOf } from './values.ts'

const MAX_REQUEST_BYTES = 65_536

const MAX_HASH_BYTES = 20

const MAX_MOUNTS = 100_000

const MAX_UUID_CHARACTERS = 64

/** The maximum number of addresses that a secondary accepts in one answer. */
const MAX_ADDRESSES = 64

export function handlersOf(context: ReplicationContext): Pick<ServerParts, 'handlers' | 'activate'> {
  const { internals, membership, host, scopes, rules } = context
  /**
   * The call context for writes that a message causes. It belongs to no client request, so these writes do not wait for acknowledgements.
   */
  const noRequest = { ...internals.call, tick: {} }
  const write = async <T>(work: (tx: Tx) => T): Promise<T> =>
    (await transactAndEnd(host, internals.topology.coreKeyspace(ROOT_NAMESPACE), noRequest, 'write', work)).value
  const acknowledge = context.options.ack !== undefined && context.options.ack !== 'local'
  const logTail = new LogTail(context)
  const ofServing: Handlers = {
    forward: (message, peer) => runForwarded(context, message, peer),
    entity: (message, peer) => makeEntity(context, message, peer),
    /** Returns the paths that a filter hides from the secondary. A client of the secondary has requested this list. */
    async filtered(message, peer) {
      assertServes(context)
      return { ...(await filteredPathsPage(context, await scopes.of(peer), stringMember(message, 'after'))) }
    },
  }
  const handlers: Handlers = {
    async hello(message, peer, member) {
      if (stringMember(message, 'set') !== member.relation.set) throw invalid('set: is not the replication set of this cluster')
      const now = host.clock.now()
      const [history, counts] = [historyIn(message, now), countsIn(message)]
      const reported = readHeartbeat(message, now)
      const countsAfter = stringMember(message, 'counts_after', MAX_COUNT_KEY_CHARACTERS)
      const comesFirst = context.server.peers.peer(peer)?.until !== undefined
      // A DR primary that has stepped down cannot commit the confirmation. This is harmless, because the token expires by itself.
      if (comesFirst && !host.store.commits.isMirror) await write((tx) => confirmPeer(tx, host.kind, peer))
      await rules.stepDownIfSuperseded(context, await rules.provenEpoch(context, peer, history))
      const head = await headOf(host, member.relation.history)
      await context.heartbeats.note({
        ...reported,
        id: peer,
        at: now,
        applied: Math.min(reported.applied, head),
        leases: [...new Set(reported.leases)].filter((uuid) => internals.topology.holder(uuid) !== undefined),
      })
      await storeReportedCounts({ host, membership }, counts)
      const addresses = await addressesOf(context)
      const { treeMaintainer } = context
      const scope = await scopes.of(peer)
      const acknowledged = (newest: number) => acknowledgedIndex(context, newest)
      const parts = { host, membership, treeMaintainer, addresses, acknowledge, acknowledged }
      const shown = await primaryStateMessage(parts, await membership.member(), countsAfter, scope)
      if (message['joins'] !== true || host.kind !== PERFORMANCE) return shown
      return { ...shown, stand_ins: await bootstrapNamesMessage(context) }
    },
    async fetch(message, peer, { relation, version }) {
      assertServes(context)
      assertEpoch(message, relation)
      const request = {
        after: logIndexIn(message, 'after', host.clock.now()),
        offset: indexIn(message, 'offset'),
        view: stringMember(message, 'view', MAX_UUID_CHARACTERS),
        turned: logIndexIn(message, 'turned', host.clock.now()),
      }
      const wait = indexIn(message, 'wait')
      const scope = () => scopes.of(peer)
      let newest = await newestEntry(host.store)
      context.heartbeats.heard(peer, Math.min(request.after, lastOf(relation.history).start + newest), host.clock.now())
      if (wait > 0 && (await scope()).token === request.view) {
        await logTail.waitAfter(request.after, wait)
        newest = await newestEntry(host.store)
      }
      const found = await fetchFrom(
        host,
        {
          ends: relation,
          positions: await performancePositions(context),
          scope,
          lastUnfiltered: scopes.lastUnfiltered(peer),
          newest,
        },
        request,
      )
      if (!found) return { gap: true }
      const acknowledged = membership.mode === 'primary' ? { acknowledged: await acknowledgedIndex(context, found.head) } : {}
      return { ...found, acknowledge, membership: version, ...acknowledged }
    },
    /** Receives an acknowledgement: the secondary reports that it has stored everything up to an index of the current epoch. */
    async held(message, peer, { relation }) {
      const [index, origin] = [indexIn(message, 'index'), stringMember(message, 'origin')]
      const scope = await scopes.of(peer)
      const isOfNow =
        origin === lastOf(relation.history).origin && scope.token === stringMember(message, 'view', MAX_UUID_CHARACTERS)
      if (!isOfNow || index > (await headOf(host, relation.history))) return {}
      context.heartbeats.heard(peer, index, host.clock.now())
      context.acknowledgements.receive({ id: peer, origin, index, whole: !scope.isPartial })
      return {}
    },
    /** Returns the position after which a secondary must continue to read the log if it starts a comparison of trees now. */
    async pin(message, _, { relation }) {
      assertServes(context)
      assertEpoch(message, relation)
      await context.treeMaintainer.run()
      const { value } = await host.kind.treeProgress.read(host.store)
      const ready = value !== undefined && !value.building && value.entry >= value.validFrom
      const index = relation.certificate?.index ?? lastOf(relation.history).start + (value?.entry ?? 0)
      const positions = await performancePositions(context)
      const served = await positions?.at(value?.entry ?? 0)
      return { index, ready, ...(served ? { served: { ...served } } : {}) }
    },
    async tree(message, peer, member) {
      assertEpoch(message, member.relation)
      const reply = await answerTree(context, member, await scopes.of(peer), bytesMember(message, 'request', MAX_REQUEST_BYTES))
      if (!reply) throw invalid('request: not a valid tree request')
      return { reply }
    },
    /**
     * Assigns the step-down certificate of this demoted primary to the first secondary that claims it with the certified index. All later
     * claims by other secondaries are refused. Filtered secondaries are refused, because they lack records.
     */
    async claim(message, peer) {
      const [epoch, index] = [indexIn(message, 'epoch'), indexIn(message, 'index')]
      if ((await scopes.of(peer)).isPartial) throw claimRefused()
      const relation = await membership.edit((now) => {
        const { certificate } = now
        if (membership.mode !== 'secondary' || certificate?.epoch !== epoch || certificate.index !== index) throw claimRefused()
        if (certificate.claimed !== undefined && certificate.claimed !== peer) throw claimRefused()
        return certificate.claimed === peer ? undefined : { ...now, certificate: { ...certificate, claimed: peer } }
      })
      return { index: relation.certificate?.index ?? 0 }
    },
    ...(host.kind === PERFORMANCE ? ofServing : {}),
    async values(message, peer, member) {
      assertEpoch(message, member.relation)
      const wanted = listOf(message, 'wanted', MAX_WANTED_VALUES).map((item) => {
        const one = objectOf(item, 'wanted')
        return { domain: stringMember(one, 'domain', 64), hash: bytesMember(one, 'hash', MAX_HASH_BYTES) }
      })
      const vouch: VerifyRecord = (key, stored) => context.inspector.verifyRecord(key, stored, member)
      return { ...(await valuesOf(host, { wanted, offset: indexIn(message, 'offset') }, vouch, () => scopes.of(peer))) }
    },
  }
  const activate = async (request: Message, member: SetMember): Promise<Message> => {
    if (membership.mode !== 'primary') throw new KernelError('ERR_UNAVAILABLE', 'this cluster is not a primary')
    return bundleFor(
      host.kind,
      member,
      await write((tx) => activatePeer(tx, host.kind, request)),
      await context.nodes.addresses(),
      context.self,
    )
  }
  return { handlers, activate }
}

/** Reads the values that a secondary reports about itself in a hello. */
const readHeartbeat = (message: Message, now: number) => ({
  cluster_address: addressIn(message, 'address'),
  api_address: addressIn(message, 'api'),
  applied: logIndexIn(message, 'applied', now),
  leases: textsOf(message, 'leases', MAX_MOUNTS, MAX_UUID_CHARACTERS),
  cluster: stringMember(message, 'cluster', MAX_UUID_CHARACTERS),
})

/**
 * Returns the addresses of this cluster's kernels. For performance replication, also returns the addresses of this cluster's DR
 * secondaries, because one of them can take over. A DR secondary answers only after its promotion.
 */
async function addressesOf({ host, nodes, otherKind }: ReplicationContext): Promise<readonly string[]> {
  const own = await nodes.addresses()
  if (host.kind === DR || otherKind.membership.mode !== 'primary') return own
  const known = new Set((await otherKind.server.peers.load()).map(({ id }) => id))
  const heard = (await otherKind.heartbeats.all()).filter(({ id, cluster_address }) => known.has(id) && cluster_address !== '')
  return [...new Set([...own, ...heard.map(({ cluster_address }) => cluster_address)])].slice(0, MAX_ADDRESSES)
}

const claimRefused = () =>
  invalid('another secondary has already claimed the role of this primary, or this primary never gave it up')

/**
 * Checks that this cluster is still in the epoch in which it answered the sender's last hello. @throws KernelError 503 if the epoch has
 * changed.
 */
function assertEpoch(message: Message, { history }: Relation): void {
  if (stringMember(message, 'origin') === lastOf(history).origin) return
  throw new KernelError('ERR_UNAVAILABLE', 'this cluster is not the primary that answered the last hello')
}

function assertServes({ membership }: ReplicationContext): void {
  if (membership.mode === 'primary' || membership.known?.relation.certificate) return
  throw new KernelError('ERR_UNAVAILABLE', 'this cluster is not a primary')
}
