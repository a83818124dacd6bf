/**
 * Which part of the tree a key belongs to: a mount's, a namespace's, or the rest. Filters leave out parts as a whole.
 */
import { CORE } from '../../../core/transaction/core-key.ts'
import { readItem } from '../../sync/items.ts'

/** Records that name things of several parts: only who holds everything has them. */
export const UNDIVIDED = 'undivided'

/** In front of the uuid of a namespace: its record alone, which is also kept for what lies in it. */
const RECORD = 'namespace-'

export const recordDomain = (namespace: string): string => RECORD + namespace

/** The uuid of the namespace whose record alone a domain has. */
export const namespaceOf = (domain: string): string | undefined =>
  domain.startsWith(RECORD) ? domain.slice(RECORD.length) : undefined

/** Folders of the kernel's own records, and which segment of their ids is the uuid of what they belong to. */
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

/** The same of work that is due for a topic of secret sync. */
const TOPIC_OWNERS = { secret: 0, association: 3, destination: 0, mount: 0, namespace: 0 } as const

/** The form of a domain's name; every uuid has it. */
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

/** Work that is due lies at `<class>/due/<lane>/<time>/<mount>/<id>`; what lies with no mount is of secret sync. */
function domainOfDueItem(key: string): string {
  const mount = withoutSegments(key, 4).split('/', 1)[0]
  return mount === CORE ? domainOfSyncItem(withoutSegments(key, 5)) : domainNamed(mount)
}

function domainOfSyncItem(item: string): string {
  const read = readItem(item)
  return read ? domainNamed(withoutSegments(read.id, TOPIC_OWNERS[read.topic]).split('/', 1)[0]) : UNDIVIDED
}

/** A key without its first segments. */
function withoutSegments(key: string, segments: number): string {
  let at = 0
  for (let left = segments; left > 0; left--) {
    const slash = key.indexOf('/', at)
    if (slash < 0) return ''
    at = slash + 1
  }
  return key.slice(at)
}
