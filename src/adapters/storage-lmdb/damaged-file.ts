/**
 * What is thrown for a data file that LMDB may not map.
 */
export class DamagedFile extends Error {
  override readonly name = 'DamagedFile'
}
