/**
 * Memory for long values that is used again, by the platform's means.
 */
export { rooms } from '#platform/rooms'

export interface Rooms {
  /** So many bytes, to be written over whole: they may hold what was there before, which is no secret. */
  take(length: number): Uint8Array
  /** Whether these bytes were taken here and not given back. False for short ones, and where the platform keeps none. */
  isTaken(bytes: Uint8Array): boolean
  /** Whether several calls have rooms at this moment, so that what each of them makes lives beside that of the others. */
  readonly areMany: boolean
  /** Takes back what nobody reads any more. A secret is wiped before. Bytes that are no room are left alone. */
  giveBack(bytes: Uint8Array): void
}
