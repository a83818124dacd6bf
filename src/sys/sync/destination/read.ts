import { Pace, type Steps } from '../../../core/base/steps.ts'
import type { Environment } from '../../../core/contract/environment.ts'
import { operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { objectInSteps } from '../../object-in-steps.ts'
import { destinationId, readDestinationId, SYNC_DESTINATION } from '../records.ts'
import { shownType, TYPE_IN_PATH } from '../types.ts'
import { DESTINATION_NAME, DESTINATION_TYPE, SHOWN_DESTINATION } from './fields.ts'
import { shownDestination } from './shown.ts'

/** The estimated time to parse the id of a destination. */
const ID_MICROSECONDS = 2

const KEYS = { type: 'array', items: { type: 'string' } }

/**
 * @throws KernelError 400 if the type of external store is unknown.
 * @throws KernelError 404 if the destination does not exist.
 */
export const readDestination = operation({
  kind: 'read',
  verb: 'GET',
  path: '/sync/destinations/:type/:name',
  segmentAliases: TYPE_IN_PATH,
  summary: 'Shows a destination without its credentials.',
  fields: { type: DESTINATION_TYPE, name: DESTINATION_NAME },
  returns: SHOWN_DESTINATION,
  run: (tx, { type, name }) => {
    const id = destinationId({ namespace: tx.call.namespace.uuid, type, name })
    const found = tx.get(SYNC_DESTINATION, id)
    return found && shownDestination(tx.env, id, found)
  },
})

/** @throws no errors of its own. */
export const listDestinations = operation({
  kind: 'read',
  verb: 'LIST',
  path: '/sync/destinations',
  summary: 'Lists the destinations of the namespace, grouped by type.',
  fields: {},
  returns: {
    keys: f.json<readonly string[]>('The types that have at least one destination, each with a trailing slash.', KEYS),
    key_info: f.json<Readonly<Record<string, readonly string[]>>>('The names of the destinations, keyed by the types in `keys`.'),
    total_destinations: f.int('The number of destinations.'),
  },
  run: (tx) => {
    const { uuid } = tx.call.namespace
    const ids = tx.list(SYNC_DESTINATION, { prefix: `${uuid}/` })
    const grouped = tx.steps('destinations', () => groupByType(tx.env, uuid, ids), 'attempt')
    return { ...grouped, total_destinations: ids.length }
  },
})

interface NamesByType {
  readonly keys: readonly string[]
  readonly key_info: Readonly<Record<string, readonly string[]>>
}

function* groupByType(env: Environment, namespace: string, ids: readonly string[]): Steps<NamesByType> {
  const byType = new Map<string, string[]>()
  const pace = new Pace()
  for (const id of ids) {
    const { type, name } = readDestinationId(`${namespace}/${id}`)
    const key = `${shownType(env, type)}/`
    const names = byType.get(key)
    if (names) names.push(name)
    else byType.set(key, [name])
    if (pace.spend(ID_MICROSECONDS)) yield
  }
  return { keys: [...byType.keys()], key_info: yield* objectInSteps(byType) }
}

/** @throws KernelError 400 if the type of external store is unknown. */
export const listDestinationsOfType = operation({
  kind: 'read',
  verb: 'LIST',
  path: '/sync/destinations/:type',
  segmentAliases: TYPE_IN_PATH,
  summary: 'Lists the names of the destinations of a type, in byte order.',
  fields: { type: DESTINATION_TYPE },
  returns: {
    keys: f.json<readonly string[]>('The names of the destinations.', KEYS),
    total_destinations: f.int('The number of destinations.'),
  },
  run: (tx, { type }) => {
    const keys = tx.list(SYNC_DESTINATION, { prefix: `${tx.call.namespace.uuid}/${type}/` })
    return { keys, total_destinations: keys.length }
  },
})
