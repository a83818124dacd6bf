/** Finds the requests in an audit log that used a given key or secret. */
import { AuditEntry } from '../contract/audit-entry.ts'
import type { Topology } from '../mount/topology.ts'
import { type AuditLines, linesOf } from './lines.ts'

/** A request that used the key or secret. */
export interface AuditUse {
  readonly time: string
  readonly request_id: string
  /** The display name of the caller: `app` for trusted calls. Undefined if the caller is unknown. */
  readonly display_name: string | undefined
  /** The accessor as it was logged: an HMAC, which is the same for every request of a token. */
  readonly accessor: string | undefined
  readonly entity_id: string | undefined
  readonly policies: readonly string[]
  readonly operation: string
  readonly path: string
  readonly remote_address: string | undefined
  /** The result of the request. `unknown` if the log has no response entry: the answer was withheld, or the process stopped. */
  readonly outcome: 'done' | 'refused' | 'unknown'
}

interface WhoUsedParts {
  readonly lines: AuditLines
  /** The path of the mount with the path of its namespace. Ends in a slash. */
  readonly mount: string
  readonly name: string
  readonly topology: Topology
}

/** The uses in the order of their response entries. Requests without a response entry come last. */
export async function* usesIn({ lines, mount, name, topology }: WhoUsedParts): AsyncGenerator<AuditUse, void, void> {
  const asked = new Map<string, AuditUse>()
  for await (const { line } of linesOf(lines)) {
    const entry = entryOf(line)
    if (entry?.request.mount_point !== mount || !(await isAbout(entry, mount, name, topology))) continue
    if (entry.type === 'request') asked.set(entry.request.id, useOf(entry, 'unknown'))
    else {
      asked.delete(entry.request.id)
      yield useOf(entry, entry.error === undefined ? 'done' : 'refused')
    }
  }
  yield* asked.values()
}

/** Skips lines that are not entries. Verification reports them. */
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

/**
 * Whether the request was for the key or secret with this name. If the mount still exists, its routes find the name in the request path.
 * Otherwise any segment of the path may be the name.
 */
async function isAbout({ request }: AuditEntry, mount: string, name: string, topology: Topology): Promise<boolean> {
  const home = request.namespace.path ?? ''
  const below = (home + request.path).slice(mount.length)
  const namespace = topology.namespaces.byPath(home)
  const there = namespace && topology.mounts.route(namespace, request.path)
  const segments = below.split('/')
  if (!there || home + there.record.path !== mount) return segments.includes(name)
  await there.engine.load?.(segments.join('/'))
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
