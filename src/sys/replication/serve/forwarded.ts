/**
 * Runs what a secondary may not write, for a caller whose policies are judged here.
 */
import { denied } from '../../../core/access/authority.ts'
import { entityOfAlias } from '../../../core/access/identity/entity.ts'
import { invalid, KernelError } from '../../../core/base/errors.ts'
import { APP } from '../../../core/contract/caller.ts'
import type { AnyBatch, AnyOperation, AnySingle } from '../../../core/contract/operation.ts'
import type { Call } from '../../../core/contract/tx.ts'
import type { Values } from '../../../core/field/parse.ts'
import type { Mount } from '../../../core/mount/mount.ts'
import type { Topology } from '../../../core/mount/topology.ts'
import { type Admitted, type Ask, callOf } from '../../../core/request/admission.ts'
import { conclude } from '../../../core/transaction/transact.ts'
import type { Center } from '../center.ts'
import { filteredBy } from '../filters/expansion.ts'
import type { View } from '../filters/views.ts'
import { recordDomain } from '../state/domain.ts'
import { readCaller, readRefusal, refusalOf, tokenFor } from '../wire/calls.ts'
import { listOf, type Message, objectOf, textOf } from '../wire/judged.ts'
import { headOf } from './hello.ts'

const MOST_ITEMS = 1_000_000

/** What came of it, and the index at which it is here. */
export async function runForwarded(center: Center, message: Message, peer: string): Promise<Message> {
  const { membership, host } = center
  if (membership.mode !== 'primary') throw new KernelError('ERR_UNAVAILABLE', 'this cluster is no primary')
  try {
    const outcome = await run(center, message, peer)
    const { relation } = await membership.member()
    return { value: outcome.value, warnings: outcome.warnings ?? [], index: await headOf(host, relation.history) }
  } catch (error) {
    if (error instanceof KernelError || error instanceof TypeError) return refusalOf(await tellable(center, error, peer))
    throw error
  }
}

/** A refusal names the mount that is in the way, also one that the secondary is not to know of. */
async function tellable(center: Center, error: Error, peer: string): Promise<Error> {
  const view = await center.views.of(peer)
  const { dynamic_filtered_mounts: mounts, dynamic_filtered_namespaces: namespaces } = await filteredBy(center, view)
  // Refusals name paths as they are in their namespace.
  const names = [...mounts, ...namespaces]
    .flatMap((path) => [path, path.slice(path.indexOf('/') + 1)])
    .filter((path) => path !== '')
  if (!names.some((path) => error.message.includes(path))) return error
  return new KernelError('ERR_INVALID_REQUEST', 'the primary refuses it: a filter keeps from this cluster what is in the way')
}

interface Ran {
  readonly value: unknown
  readonly warnings: readonly string[] | undefined
}

async function run(center: Center, message: Message, peer: string): Promise<Ran> {
  const { topology } = center.insides
  const view = await center.views.of(peer)
  const mount = mountFor(topology, view, textOf(message, 'mount'))
  const name = textOf(message, 'operation')
  const operation = mount && Object.hasOwn(mount.engine.operations, name) ? mount.engine.operations[name] : undefined
  if (!mount || !operation) throw new KernelError('ERR_UNSUPPORTED_PATH', 'the mount is not there any more')
  if (!view.has(recordDomain(textOf(message, 'namespace')))) throw noNamespace()
  const call = await callFor(center, message, peer, mount, operation)
  const input = objectOf(message['input'], 'input')
  if (!operation.batch) return { ...(await mount.executor.single(operation as AnySingle, input, call)) }
  if (message['item'] !== undefined)
    return mount.executor.item(operation as AnyBatch, input, objectOf(message['item'], 'item'), call)
  const all = listOf(message, 'all', MOST_ITEMS).map((item) => {
    const one = objectOf(item, 'all')
    return 'refusal' in one ? readRefusal(one) : (one['value'] as Values)
  })
  const raw = listOf(message, 'raw', MOST_ITEMS) as readonly Values[]
  const { value, warnings } = await mount.executor.batch(operation as AnyBatch, input, { all, raw }, call)
  return { value: value.map((one) => (one instanceof Error ? refusalOf(one) : { value: one })), warnings }
}

/** A mount that a secondary is not to have is not there for it. */
function mountFor(topology: Topology, view: View, uuid: string): Mount | undefined {
  return view.has(uuid) ? topology.mounts.byId(uuid) : undefined
}

const noNamespace = (): KernelError => new KernelError('ERR_UNSUPPORTED_PATH', 'the namespace is not there any more')

/** @throws KernelError 403 where the policies, as they are here, do not allow the call. */
async function callFor(center: Center, message: Message, peer: string, mount: Mount, operation: AnyOperation): Promise<Call> {
  const { topology, admission, authority, core, call: own } = center.insides
  const namespace = topology.namespaces.byUuid(textOf(message, 'namespace'))
  if (!namespace) throw noNamespace()
  const path = textOf(message, 'path', 16_384)
  const remoteAddress = textOf(message, 'remote_address', 256) || undefined
  const sent = readCaller(message)
  if (!sent) {
    if (center.server.peers.peer(peer)?.forward !== 'app') throw onlyTokens()
    return { caller: APP, mount: mount.record, namespace, path, remoteAddress, sudo: true, recheck: undefined }
  }
  const caller = await core.look((tx) => authority.describe(tx, '', tokenFor(sent, tx.now)), own)
  if (message['asked'] === null) throw denied()
  const asked = objectOf(message['asked'], 'asked')
  const ask: Ask = {
    verb: textOf(asked, 'verb', 16),
    namespace,
    path,
    trailingSlash: asked['trailingSlash'] === true,
    mount,
    operation,
    captures: objectOf(asked['captures'], 'captures') as Readonly<Record<string, string>>,
    parameters: () => (asked['parameters'] ?? {}) as Values,
    wrapTtl: Number(asked['wrapTtl']),
    remoteAddress,
    record: undefined,
  }
  const admitted: Admitted = await admission.admit(ask, caller)
  return callOf(ask, mount, admitted, ask)
}

const onlyTokens = (): KernelError =>
  new KernelError('ERR_READ_ONLY', 'cannot write to readonly storage: only writes with a token are forwarded for this secondary')

/** Makes or changes the entity behind an alias, for a login on a secondary. */
export async function makeEntity(center: Center, message: Message, peer: string): Promise<Message> {
  const { insides, host, membership } = center
  const { topology } = insides
  const view = await center.views.of(peer)
  const namespace = topology.namespaces.byUuid(textOf(message, 'namespace'))
  const mount = mountFor(topology, view, textOf(message, 'mount'))?.record
  if (!namespace || !mount) throw invalid('mount: it is not there any more')
  const metadata = objectOf(message['metadata'], 'metadata') as Readonly<Record<string, string>>
  const alias = textOf(message, 'alias', 4096)
  const place = topology.corePlace(namespace)
  await conclude(host, place, insides.call, 'write', (tx) => entityOfAlias(tx, namespace, mount, alias, metadata))
  return { index: await headOf(host, (await membership.member()).relation.history) }
}
