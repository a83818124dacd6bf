/**
 * Assigns each key to a domain of the Merkle tree. A domain contains the records of one mount, the records of one namespace, or the records
 * that belong to neither. Path filters include or exclude whole domains.
 */
import { CORE } from '../../../core/transaction/core-key.ts'
import { readItem } from '../../sync/items.ts'

/** The domain of records that refer to several mounts or namespaces. Only unfiltered secondaries receive it. */
export const UNDIVIDED = 'undivided'

/**
 * The prefix of a domain that contains only the record of one namespace. A filtered secondary that may not have the other records of a
 * namespace can still need this record, to reach a mount or namespace below it.
 */
const RECORD = 'namespace-'

export const recordDomain = (namespace: string): string => RECORD + namespace

/** Returns the UUID of the namespace if this is the domain of a namespace record; otherwise undefined. */
export const namespaceOf = (domain: string): string | undefined =>
  domain.startsWith(RECORD) ? domain.slice(RECORD.length) : undefined

/**
 * For folders of the kernel's own records: the segment of the record id, counted from 0, that is the UUID of the mount or namespace to
 * which the record belongs.
 */
const OWNERS: ReadonlyMap<string, number> = new Map([
  ['mount', 0],
  ['policy', 0],
  ['token-role', 0],
  ['entity', 0],
  ['alias', 0],
  ['password-policy', 0],
  ['sync-destination', 0],
  ['sync-association', 3],
  ['sync-secret', 0],
  ['sync-outbox', 0],
])

/** For scheduled work of secret sync, by topic: the segment of its id, counted from 0, that is the UUID of the mount or namespace. */
const TOPIC_OWNERS = { secret: 0, association: 3, destination: 0, mount: 0, namespace: 0 } as const

/** Matches valid domain names, including all UUIDs. */
const NAME = /^[A-Za-z0-9-]{1,64}$/

export function domainOf(key: string): string {
  const [, place = '', folder = '', first = ''] = key.split('/', 4)
  if (place === 'due') return domainOfDueItem(key)
  return place === CORE ? domainOfCoreRecord(folder, first, key) : domainNamed(place)
}

const domainNamed = (domain: string | undefined): string => (domain !== undefined && NAME.test(domain) ? domain : UNDIVIDED)

function domainOfCoreRecord(folder: string, first: string, key: string): string {
  if (folder === 'namespace') return domainNamed(recordDomain(first))
  if (folder === 'remount' || folder === 'sync-name') return UNDIVIDED
  if (folder === 'sync-walk') return domainOfSyncItem(withoutSegments(key, 3))
  const owner = OWNERS.get(folder)
  if (owner === undefined) return CORE
  return domainNamed(owner === 0 ? first : withoutSegments(key, 3 + owner).split('/', 1)[0])
}

/**
 * Scheduled background work (a due item) has the key `<class>/due/<lane>/<time>/<mount>/<id>`; the lane is the named queue of the work.
 * Items without a mount belong to secret sync.
 */
function domainOfDueItem(key: string): string {
  const mount = withoutSegments(key, 4).split('/', 1)[0]
  return mount === CORE ? domainOfSyncItem(withoutSegments(key, 5)) : domainNamed(mount)
}

function domainOfSyncItem(item: string): string {
  const read = readItem(item)
  return read ? domainNamed(withoutSegments(read.id, TOPIC_OWNERS[read.topic]).split('/', 1)[0]) : UNDIVIDED
}

/** Returns a key without its first segments. */
function withoutSegments(key: string, segments: number): string {
  let at = 0
  for (let left = segments; left > 0; left--) {
    const slash = key.indexOf('/', at)
    if (slash < 0) return ''
    at = slash + 1
  }
  return key.slice(at)
}
