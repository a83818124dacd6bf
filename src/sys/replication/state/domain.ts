/**
 * Assigns each key to a domain of the Merkle tree. A domain contains a mount, a namespace, or all other records. Filters include or exclude
 * whole domains.
 */
import { CORE } from '../../../core/transaction/core-key.ts'
import { readItem } from '../../sync/items.ts'

/** Records that refer to several domains. Only unfiltered secondaries receive them. */
export const UNDIVIDED = 'undivided'

/**
 * The prefix for the domain that contains only the record of a namespace. A filtered secondary may need this record to reach a mount or
 * namespace below the namespace.
 */
const RECORD = 'namespace-'

export const recordDomain = (namespace: string): string => RECORD + namespace

/** Returns the namespace's UUID if the domain contains only a namespace record. */
export const namespaceOf = (domain: string): string | undefined =>
  domain.startsWith(RECORD) ? domain.slice(RECORD.length) : undefined

/** Folders of the kernel's own records, and which segment of the id is the UUID of the mount or namespace that the record belongs to. */
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

/** For due work of secret sync, by topic: which segment of the id is the UUID. */
const TOPIC_OWNERS = { secret: 0, association: 3, destination: 0, mount: 0, namespace: 0 } as const

/** Valid domain names. Every UUID is valid. */
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

/** Due items have the key `<class>/due/<lane>/<time>/<mount>/<id>`. Items without a mount belong to secret sync. */
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
