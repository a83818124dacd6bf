/** Finds the requests in a log that used a key or a secret. */
import { AuditEntry } from '../contract/audit-entry.ts'
import type { Topology } from '../mount/topology.ts'
import { type AuditLines, linesOf } from './lines.ts'

/** One request that used it. */
export interface AuditUse {
  readonly time: string
  readonly request_id: string
  /** `app` for trusted calls of the application; absent for an unknown caller. */
  readonly display_name: string | undefined
  /** The accessor as logged: an HMAC that is the same for the same token. */
  readonly accessor: string | undefined
  readonly entity_id: string | undefined
  readonly policies: readonly string[]
  readonly operation: string
  readonly path: string
  readonly remote_address: string | undefined
  /** `unknown` if the log has no response entry: the answer was withheld, or the process stopped. */
  readonly outcome: 'done' | 'refused' | 'unknown'
}

export interface WhoUsedParts {
  readonly lines: AuditLines
  /** Includes the path of its namespace, and ends in a slash. */
  readonly mount: string
  readonly name: string
  readonly topology: Topology
}

/** In the order of the response entries; requests without one come last. */
export async function* usesIn({ lines, mount, name, topology }: WhoUsedParts): AsyncGenerator<AuditUse, void, void> {
  const asked = new Map<string, AuditUse>()
  for await (const { line } of linesOf(lines)) {
    const entry = entryOf(line)
    if (entry?.request.mount_point !== mount || !isAbout(entry, mount, name, topology)) continue
    if (entry.type === 'request') asked.set(entry.request.id, useOf(entry, 'unknown'))
    else {
      asked.delete(entry.request.id)
      yield useOf(entry, entry.error === undefined ? 'done' : 'refused')
    }
  }
  yield* asked.values()
}

/** Lines that are not entries are skipped; verification reports them. */
function entryOf(line: string): AuditEntry | undefined {
  try {
    const entry = new AuditEntry(line)
    return typeof entry.request?.path === 'string' ? entry : undefined
  } catch {
    return undefined
  }
}

const VERBS: Readonly<Record<string, string>> = {
  create: 'POST',
  update: 'POST',
  read: 'GET',
  list: 'LIST',
  delete: 'DELETE',
  patch: 'PATCH',
}

/** Decided by the routes of the current mount. If nothing is mounted there, by the segments of the path. */
function isAbout({ request }: AuditEntry, mount: string, name: string, topology: Topology): boolean {
  const home = request.namespace.path ?? ''
  const below = (home + request.path).slice(mount.length)
  const namespace = topology.namespaces.byPath(home)
  const there = namespace && topology.mounts.route(namespace, request.path)
  const segments = below.split('/')
  if (!there || home + there.record.path !== mount) return segments.includes(name)
  const { captures } = there.routes.match(VERBS[request.operation] ?? '', segments)
  return captures['name'] === name || captures['path'] === name
}

const useOf = ({ time, auth, request }: AuditEntry, outcome: AuditUse['outcome']): AuditUse => ({
  time,
  request_id: request.id,
  display_name: auth?.display_name,
  accessor: auth?.accessor,
  entity_id: auth?.entity_id,
  policies: auth?.policies ?? [],
  operation: request.operation,
  path: request.path,
  remote_address: request.remote_address,
  outcome,
})
