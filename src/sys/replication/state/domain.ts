/**
 * Assigns each key to a domain of the Merkle tree. A domain contains the records of one mount, the records of one namespace, or the records
 * that belong to neither. Path filters include or exclude whole domains.
 */
import { domainOfFolder } from '../../../core/contract/core-folders.ts'
import { CORE } from '../../../core/transaction/core-key.ts'
import { ownerOfItem } from '../../sync/items.ts'

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

/** Matches valid domain names, including all UUIDs. */
const NAME = /^[A-Za-z0-9-]{1,64}$/

export function domainOf(key: string): string {
  const [, keyspace, folder = '', id = ''] = key.split('/', 4)
  if (keyspace === 'due') return domainOfDueItem(key)
  if (keyspace !== CORE) return domainNamed(keyspace)
  const domain = domainOfFolder(folder)
  if (domain === 'namespace') return domainNamed(recordDomain(id))
  if (domain === 'sync-item') return domainNamed(ownerOfItem(withoutSegments(key, 3)))
  return typeof domain === 'string' ? domain : domainNamed(key.split('/', 4 + domain.ownerAt)[3 + domain.ownerAt])
}

const domainNamed = (domain: string | undefined): string => (domain !== undefined && NAME.test(domain) ? domain : UNDIVIDED)

/**
 * Scheduled background work (a due item) has the key `<class>/due/<lane>/<time>/<mount>/<id>`; the lane is the named queue of the work.
 * Items without a mount belong to secret sync.
 */
function domainOfDueItem(key: string): string {
  const mount = key.split('/', 5)[4]
  return domainNamed(mount === CORE ? ownerOfItem(withoutSegments(key, 5)) : mount)
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
