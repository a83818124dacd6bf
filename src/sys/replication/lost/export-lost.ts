/** Exports all quarantined changes one by one. Internally, the changes are read in pages. */
import type { LostWrites } from './lost-writes.ts'

/** A change that only a lost primary had, and that this cluster moved to the quarantine. */
export interface LostRecord {
  /** The storage key: the record class (`r` or `l`), the mount UUID or `core`, the folder, and the id. */
  readonly key: string
  /** The time of the commit, in RFC 3339 format. */
  readonly at: string
  /** The epoch of the lost primary. */
  readonly epoch: number
  /** The index of the commit in the set's log, as counted by the lost primary. Changes with the same index belong to one commit. */
  readonly index: number
  /** Set if the record was deleted. The change then has no value. */
  readonly deleted?: true
  /** Only for the application: the content of the record, after one byte that names its format. */
  readonly value?: Uint8Array
}

export interface ExportsLost {
  /**
   * Iterates over all quarantined changes in the order in which they were written. At most one page of changes is in memory. The iteration
   * ends early if `forgetLostWrites` deletes the records meanwhile.
   *
   * @throws KernelError The iteration throws the errors of `readLostWrites`, such as 503 after the kernel was sealed, or 403 after the token
   * has expired.
   */
  exportLost(): AsyncIterable<LostRecord>
}

export interface ExportDrLostArguments {
  /** The same token as for `readLostWrites`: an operation token, or a batch token of the primary. */
  readonly dr_operation_token?: string | undefined
}

export interface ExportsDrLost {
  /** Like `kernel.replication.exportLost`, for records that were quarantined in disaster recovery replication. */
  exportLost(args?: ExportDrLostArguments): AsyncIterable<LostRecord>
}

const PAGE = 100

/** @param read Reads one page. It has the rights of the caller. */
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
