/** Creates the entity of an alias, or updates the alias, when a client logs in on a secondary. */
import { entityOfAlias } from '../../../core/access/identity/entity.ts'
import { invalid, KernelError } from '../../../core/base/errors.ts'
import { isAuth, isLocal } from '../../../core/contract/mount-record.ts'
import { transactAndEnd } from '../../../core/transaction/transact.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { recordDomain } from '../state/domain.ts'
import { type Message, objectOf, stringMember } from '../wire/message-members.ts'
import { ForwardedAudit } from './forward/audit.ts'
import { limitRun } from './forward/record-limits.ts'
import { headOf } from './hello.ts'

const MAX_ALIAS = 4096

/** The maximum total number of characters in the names and values of an alias's metadata. */
const MAX_METADATA = 65_536

export async function makeEntity(context: ReplicationContext, message: Message, peer: string): Promise<Message> {
  const { internals, host, membership } = context
  if (membership.mode !== 'primary') throw new KernelError('ERR_UNAVAILABLE', 'this cluster is not a primary')
  const { topology, call } = internals
  await topology.fresh()
  await internals.audit.fresh()
  const audit = new ForwardedAudit(context, message, peer)
  const make = async (): Promise<void> => {
    const { namespace, mount } = await placeOf(context, message, peer)
    const alias = stringMember(message, 'alias', MAX_ALIAS)
    const metadata = metadataOf(message)
    const { path, accessor } = mount.record
    const data = { name: alias, mount_accessor: accessor, metadata }
    audit.leadsTo({ ...PLACE, namespace, mount, path: `${path}login`, data })
    await audit.ask()
    await transactAndEnd(host, topology.coreKeyspace(namespace), call, 'write', (tx) => {
      limitRun(tx, context, peer)
      return entityOfAlias(tx, namespace, mount.record, alias, metadata)
    })
  }
  await audit.around(make, () => ({}))
  return { index: await headOf(host, (await membership.member()).relation.history) }
}

const PLACE = { verb: 'POST', trailingSlash: false, remoteAddress: undefined, wrapTtl: 0 } as const

/** @throws KernelError 400 if the mount is hidden, local or missing, or has no logins. The error is the same in each case. */
async function placeOf({ internals, scopes }: ReplicationContext, message: Message, peer: string) {
  const { topology } = internals
  const scope = await scopes.of(peer)
  const [uuid, space] = [stringMember(message, 'mount'), stringMember(message, 'namespace')]
  const namespace = scope.includes(recordDomain(space)) ? topology.namespaces.byUuid(space) : undefined
  const mount = scope.includes(uuid) ? topology.mounts.byId(uuid) : undefined
  const takesLogins = mount !== undefined && mount.engine.logins !== undefined && isAuth(mount.record) && !isLocal(mount.record)
  if (!namespace || !takesLogins || mount.record.namespace !== space) throw invalid('mount: must be an existing auth method')
  return { namespace, mount }
}

function metadataOf(message: Message): Readonly<Record<string, string>> {
  const given = objectOf(message['metadata'], 'metadata')
  let size = 0
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== 'string') throw invalid('metadata: all values must be strings')
    size += name.length + value.length
    if (size > MAX_METADATA) throw invalid(`metadata: must have at most ${MAX_METADATA} characters`)
  }
  return given as Readonly<Record<string, string>>
}
