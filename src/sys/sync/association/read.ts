import { rfc3339 } from '../../../core/base/clock.ts'
import { notFound } from '../../../core/base/errors.ts'
import { sortSteps } from '../../../core/base/sort-steps.ts'
import { Pace, type Steps } from '../../../core/base/steps.ts'
import { operation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { f } from '../../../core/field/fields.ts'
import { TOPOLOGY } from '../../../core/mount/topology.ts'
import { loadAll, loadAllInGroups } from '../../../core/transaction/load-all.ts'
import { DESTINATION_NAME, DESTINATION_TYPE } from '../destination/fields.ts'
import {
  associationId,
  destinationId,
  readAssociationId,
  readDestinationId,
  SYNC_ASSOCIATION,
  SYNC_DESTINATION,
  SYNCED_SECRET,
  secretId,
} from '../records.ts'
import { shownType, TYPE_IN_PATH } from '../types.ts'
import { worstOf } from '../work/status-events.ts'
import { MOUNT_FIELD, mountNamed, mountPathOf, SECRET_FIELD, secretPathOf } from './names.ts'
import {
  type AssociatedDestination,
  type AssociatedSecrets,
  currentStatus,
  SHOWN_ASSOCIATIONS,
  shownAssociations,
  shownRows,
  shownSecrets,
  statusName,
} from './shown.ts'

/**
 * @throws KernelError 400 if the type of external store is unknown.
 * @throws KernelError 404 if the destination does not exist.
 */
export const readAssociations = operation({
  kind: 'read',
  verb: 'GET',
  path: '/sync/destinations/:type/:name/associations',
  segmentAliases: TYPE_IN_PATH,
  summary: 'Shows the secrets that are pushed to a destination, and the status of each secret.',
  fields: { type: DESTINATION_TYPE, name: DESTINATION_NAME },
  returns: SHOWN_ASSOCIATIONS,
  run: (tx, { type, name }) => {
    const destination = destinationId({ namespace: tx.call.namespace.uuid, type, name })
    if (!tx.get(SYNC_DESTINATION, destination)) throw notFound(`there is no destination ${type}/${name}`)
    const ids = tx.list(SYNC_ASSOCIATION, { prefix: `${destination}/` }).map((rest) => `${destination}/${rest}`)
    const shown = loadAllInGroups(tx, 'associations', ids, (id) => {
      const association = tx.get(SYNC_ASSOCIATION, id)
      return association ? shownSecrets(tx, id, association) : {}
    })
    const all: AssociatedSecrets = Object.assign({}, ...shown)
    return shownAssociations(tx, destination, all)
  },
})

/** The estimated time to parse the id of an association. */
const ID_MICROSECONDS = 2

/** A secret that is pushed to an external store. */
export interface PushedSecret {
  /** The path of the mount. */
  readonly mount: string
  /** The path of the secret in the mount. */
  readonly secret_path: string
}

interface PushedSecrets {
  readonly keys: readonly string[]
  readonly key_info: Readonly<Record<string, readonly PushedSecret[]>>
  readonly total_associations: number
  readonly total_secrets: number
}

/** @throws no errors of its own. */
export const listAssociations = operation({
  kind: 'read',
  verb: 'LIST',
  path: '/sync/associations',
  summary: 'Lists the secrets of the namespace that are pushed to any destination.',
  fields: {},
  returns: {
    keys: f.json<readonly string[]>('The paths of the secrets, each preceded by the path of its mount.', {
      type: 'array',
      items: { type: 'string' },
    }),
    key_info: f.json<Readonly<Record<string, readonly PushedSecret[]>>>(
      'For each path in `keys`: the path of the mount, and the path of the secret in the mount.',
    ),
    total_associations: f.int(
      'The number of associations. A secret that is pushed to several destinations has one association for each destination.',
    ),
    total_secrets: f.int('The number of different secrets.'),
  },
  run: (tx) => {
    const ids = tx.list(SYNC_ASSOCIATION, { prefix: `${tx.call.namespace.uuid}/` })
    return tx.steps('associations', () => pushedSecrets(tx, ids), 'attempt')
  },
})

function* pushedSecrets(tx: Tx, ids: readonly string[]): Steps<PushedSecrets> {
  const { uuid } = tx.call.namespace
  const { mounts } = TOPOLOGY.of(tx)
  const info = new Map<string, readonly PushedSecret[]>()
  const pace = new Pace()
  let total = 0
  for (const rest of ids) {
    const { mount, path } = readAssociationId(`${uuid}/${rest}`)
    const at = mounts.byId(mount)?.record.path
    // Skip secrets of a disabled mount, because they are no longer pushed.
    if (at !== undefined) {
      total++
      info.set(`${at}${path}`, [{ mount: at, secret_path: path }])
    }
    if (pace.spend(ID_MICROSECONDS)) yield
  }
  const keys = yield* sortSteps([...info.keys()], (key) => key)
  yield
  return { keys, key_info: Object.fromEntries(info), total_associations: total, total_secrets: keys.length }
}

const DESTINATIONS = {
  associated_destinations: f.json<Readonly<Record<string, AssociatedDestination>>>(
    'The destinations of the secret, keyed by `<type>/<name>`. If the keys of the secret are pushed separately, the status is the worst status of the keys.',
  ),
}

function destinationsOf(tx: Tx, given: { readonly mount: string; readonly secret_name: string }) {
  const path = secretPathOf(given.secret_name)
  const mount = mountNamed(tx, mountPathOf(given.mount))
  if (!mount) throw notFound('mount: must be the path of an existing mount', 400)
  const { uuid } = mount.record
  const { destinations } = tx.get(SYNCED_SECRET, secretId({ mount: uuid, path })) ?? { destinations: [] }
  const shown = loadAll(destinations, (destination) => {
    const { type, name } = readDestinationId(destination)
    const id = associationId({ destination, mount: uuid, path })
    const association = tx.get(SYNC_ASSOCIATION, id)
    if (!association) return []
    const worst = worstOf(association)
    const row = shownRows(association).find(({ status }) => status === worst) ?? { status: worst, updated: association.updated }
    const { status, updated } = currentStatus(tx, id, association, row)
    const shown = shownType(tx.env, type)
    const entry: AssociatedDestination = { type: shown, name, sync_status: statusName(tx, status), updated_at: rfc3339(updated) }
    return [[`${shown}/${name}`, entry] as const]
  })
  return { associated_destinations: Object.fromEntries(shown.flat()) }
}

/** @throws KernelError 400 if the mount does not exist. */
export const readSecretDestinations = operation({
  kind: 'read',
  verb: 'GET',
  path: '/sync/associations/destinations',
  summary: 'Shows the destinations to which a secret is pushed, and the status of the secret at each destination.',
  fields: { mount: MOUNT_FIELD, secret_name: SECRET_FIELD },
  returns: DESTINATIONS,
  run: destinationsOf,
})

export const readSecretDestinationsByPath = operation({
  kind: 'read',
  verb: 'GET',
  path: '/sync/associations/:mount/:secret_name',
  summary:
    'Returns the same result as `sync/associations/destinations`. Can be used only if the path of the mount and the path of the secret contain no slash.',
  fields: { mount: MOUNT_FIELD, secret_name: SECRET_FIELD },
  returns: DESTINATIONS,
  run: destinationsOf,
})
