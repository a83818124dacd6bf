/** The error for a data file that LMDB must not map. */
export class DamagedFile extends Error {
  override readonly name = 'DamagedFile'
}
