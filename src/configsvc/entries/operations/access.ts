/**
 * Who may read and write an entry, as the row of its kind says.
 */
import { invalid, KernelError } from '../../../core/base/errors.ts'
import { type Asker, denied, may, mayAny } from '../../acl/asker.ts'
import { Contradiction } from '../graph/contradiction.ts'
import type { Access, Entry, Kind } from '../kind.ts'

const allows = (asker: Asker, requested: string, { permission, segment, any, namespace = requested }: Access): boolean =>
  any ? mayAny(asker, namespace, permission) : may(asker, namespace, permission, segment)

/** A refusal as the caller may see it: what it tells of entries they may not read is left out. */
export function refusalFor(asker: Asker, namespace: string, thrown: unknown): unknown {
  return thrown instanceof Contradiction ? invalid(thrown.textFor((access) => allows(asker, namespace, access))) : thrown
}

/** @param name Whether there is such an entry makes no difference. */
export function mayRead(asker: Asker, namespace: string, kind: Kind, name: string): boolean {
  const readers = kind.readers(name)
  return readers.length === 0 || readers.some((access) => allows(asker, namespace, access))
}

/** @throws KernelError 403 */
export function permitRead(asker: Asker, namespace: string, kind: Kind, name: string): void {
  const [first] = kind.readers(name)
  if (first && !mayRead(asker, namespace, kind, name)) throw denied(asker, first.permission, first.segment)
}

/** @throws KernelError 403 */
export function permitWrite(asker: Asker, namespace: string, kind: Kind, entry: Entry): void {
  const writers = kind.writers(entry)
  if (!writers)
    throw new KernelError('ERR_PERMISSION_DENIED', `Permission denied: ${kind.name} is written by its controller only`)
  for (const access of writers) if (!allows(asker, namespace, access)) throw denied(asker, access.permission, access.segment)
}
