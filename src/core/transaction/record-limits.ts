/**
 * Restricts a run of a transaction to certain records. Used for calls from another cluster.
 */
export interface RecordLimits {
  /** @throws KernelError for a record or folder that the run must not read. */
  checkRead(key: string): void
  /**
   * @param value The decoded value of the record. Undefined if the write is a deletion, or if it writes something without a record kind,
   * such as key material.
   * @throws KernelError for a record that the run must not write.
   */
  checkWrite(key: string, value: unknown): void
}
