/** The last entries of the audit log, kept in memory for the operator's page. */
import type { AuditEntry } from '../core/contract/audit-entry.ts'
import type { AuditSink } from '../core/contract/audit-port.ts'

/** A response that the audit log has recorded. All values are as in the log: names in plaintext, no secrets. */
export interface AuditTailEntry {
  /** RFC 3339. */
  readonly time: string
  readonly operation: string
  /** The path of the namespace; empty for the root namespace. */
  readonly namespace: string
  readonly path: string
  /** The display name of the caller's token; `app` for the application's own calls. */
  readonly caller: string
  readonly remote_address: string
  /** Why the request was refused; empty if it succeeded. */
  readonly error: string
  readonly request_id: string
}

const CAPACITY = 200

/** Remembers the entries that a sink of the application has stored. */
export class AuditTail {
  readonly #lines: AuditEntry[] = []

  /**
   * Returns a sink that stores entries with the given sink, and remembers each entry after that sink has stored it. Use the returned sink
   * instead of the given one. It never stores an entry that the given sink refuses, so requests that cannot be audited are still refused.
   */
  around(sink: AuditSink): AuditSink {
    const { writeSync, open, close } = sink
    return {
      write: (entry, signal) => {
        const stored = sink.write(entry, signal)
        if (stored === undefined) return this.#remember(entry)
        return stored.then(() => this.#remember(entry))
      },
      ...(writeSync && {
        writeSync: (entry: AuditEntry) => {
          writeSync.call(sink, entry)
          this.#remember(entry)
        },
      }),
      ...(open && { open: (signal) => open.call(sink, signal) }),
      ...(close && { close: (signal) => close.call(sink, signal) }),
    }
  }

  /** At most 200 responses, the newest first. */
  recent(): readonly AuditTailEntry[] {
    return this.#lines
      .filter(({ type }) => type === 'response')
      .slice(-CAPACITY)
      .map(shown)
      .reverse()
  }

  /** Entries are parsed when they are shown. A request and its response are two entries. */
  #remember(entry: AuditEntry): void {
    this.#lines.push(entry)
    if (this.#lines.length > 4 * CAPACITY) this.#lines.splice(0, 2 * CAPACITY)
  }
}

function shown({ time, request, auth, error = '' }: AuditEntry): AuditTailEntry {
  return {
    time,
    operation: request.operation,
    namespace: request.namespace.path ?? '',
    path: request.path,
    caller: auth?.display_name ?? '',
    remote_address: request.remote_address ?? '',
    error,
    request_id: request.id,
  }
}
