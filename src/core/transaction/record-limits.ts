/**
 * Limits a run to some records, for a call that is made for another cluster.
 */
export interface RecordLimits {
  /** @throws KernelError for a record, or a folder, that the run must not read. */
  checkRead(key: string): void
  /**
   * @param value The record's value; undefined for a deletion, and for values that are no records, such as keys.
   * @throws KernelError for a record that the run must not write.
   */
  checkWrite(key: string, value: unknown): void
}
