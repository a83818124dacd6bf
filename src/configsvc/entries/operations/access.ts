/** Authorizes reads and writes of entries by the permissions of their kind. */
import { invalid, KernelError } from '../../../core/base/errors.ts'
import { Pace, type Steps } from '../../../core/base/steps.ts'
import { type AclCaller, mayAccess, mayAccessAny, permissionDenied } from '../../acl/acl-caller.ts'
import { Contradiction } from '../graph/contradiction.ts'
import type { EntryKind, NormalizedEntry, RequiredAccess } from '../kind.ts'

const allows = (
  aclCaller: AclCaller,
  requested: string,
  { permission, segment, any, namespace = requested }: RequiredAccess,
): boolean => (any ? mayAccessAny(aclCaller, namespace, permission) : mayAccess(aclCaller, namespace, permission, segment))

/** Returns the error as the caller may see it: without mentioning entries that the caller may not read. */
export function visibleRefusal(aclCaller: AclCaller, namespace: string, thrown: unknown): unknown {
  return thrown instanceof Contradiction ? invalid(thrown.textFor((access) => allows(aclCaller, namespace, access))) : thrown
}

/** @param name The name of the entry, which need not exist. */
export function mayRead(aclCaller: AclCaller, namespace: string, kind: EntryKind, name: string): boolean {
  const readers = kind.readers(name)
  return readers.length === 0 || readers.some((access) => allows(aclCaller, namespace, access))
}

/** @throws KernelError 403 */
export function authorizeRead(aclCaller: AclCaller, namespace: string, kind: EntryKind, name: string): void {
  const [first] = kind.readers(name)
  if (first && !mayRead(aclCaller, namespace, kind, name)) throw permissionDenied(aclCaller, first.permission, first.segment)
}

const ACCESS_MICROSECONDS = 2

/** @throws KernelError 403 */
export function* authorizeWrite(aclCaller: AclCaller, namespace: string, written: readonly WrittenEntry[]): Steps<void> {
  const lacking = yield* lackingAccess(aclCaller, namespace, written)
  if (lacking === undefined) return
  if (typeof lacking === 'string')
    throw new KernelError('ERR_PERMISSION_DENIED', `Permission denied: only the controller writes ${lacking}`)
  throw permissionDenied(aclCaller, lacking.permission, lacking.segment)
}

/** An entry to write, or the kind and name of an entry to delete. */
interface WrittenEntry {
  readonly kind: EntryKind
  readonly entry: NormalizedEntry
}

/**
 * Returns the first permission that the caller lacks, or the first kind that only its controller writes. Runs in steps, because an entry
 * may name thousands of services.
 */
function* lackingAccess(
  aclCaller: AclCaller,
  namespace: string,
  written: readonly WrittenEntry[],
): Steps<RequiredAccess | string | undefined> {
  const pace = new Pace()
  for (const { kind, entry } of written) {
    const writers = kind.writers(entry)
    if (!writers) return kind.name
    for (const access of writers) {
      if (!allows(aclCaller, namespace, access)) return access
      if (pace.spend(ACCESS_MICROSECONDS)) yield
    }
  }
  return undefined
}
