/**
 * Restricts a run to certain records. Used for calls from another cluster.
 */
export interface RecordLimits {
  /** @throws KernelError for a record or folder that the run must not read. */
  checkRead(key: string): void
  /**
   * @param value The value of the record; undefined for deletions and for values that are not records, such as keys.
   * @throws KernelError for a record that the run must not write.
   */
  checkWrite(key: string, value: unknown): void
}
