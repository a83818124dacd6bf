/** All that was given up, change by change, however much that is: a loop around its pages. */
import type { LostWrites } from './lost-writes.ts'

/** A record of the store that a lost primary had changed, and that is not so any more. */
export interface LostRecord {
  /** In the store: its class, the mount's UUID or `core`, a folder, and an id. */
  readonly key: string
  /** When it was committed, RFC 3339. */
  readonly at: string
  /** The epoch of the primary that is lost. */
  readonly epoch: number
  /** The place of the commit in the log of the set, as that primary counted: what has the same was one commit. */
  readonly index: number
  /** Instead of a value. */
  readonly deleted?: true
  /** For the application alone: what the record held, behind one byte that names its format. */
  readonly value?: Uint8Array
}

export interface ExportsLost {
  /**
   * All records that were given up here, in the order in which they were written. Read as they are taken, at most a page ahead; whoever stops
   * early stops reading. Ends where they are forgotten meanwhile.
   * @throws KernelError as `readLostWrites`, at the record that it comes to: 503 when the kernel is sealed, 403 when the token ends.
   */
  exportLost(): AsyncIterable<LostRecord>
}

export interface ExportDrLostArguments {
  /** As `readLostWrites` takes it. */
  readonly dr_operation_token?: string | undefined
}

export interface ExportsDrLost {
  /** As `kernel.replication.exportLost`, of what was given up for disaster recovery. */
  exportLost(args?: ExportDrLostArguments): AsyncIterable<LostRecord>
}

const PAGE = 100

/** @param read Reads a page, as who asks. */
export async function* exportLost(
  read: (page: { readonly after: string; readonly limit: number }) => Promise<LostWrites>,
): AsyncGenerator<LostRecord, void, undefined> {
  for (let after = ''; ; ) {
    const { records, next } = await read({ after, limit: PAGE })
    for (const { epoch, index, time, changes } of records)
      for (const { key, ...held } of changes) yield { key, at: time, epoch, index, ...held }
    if (next === undefined) return
    after = next
  }
}
