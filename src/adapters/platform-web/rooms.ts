/** Memory for long values. Platforms differ in what fresh memory costs, so none is kept. */
import type { Rooms } from '../../core/base/rooms.ts'

export const rooms: Rooms = {
  take: (length) => new Uint8Array(length),
  isTaken: () => false,
  areMany: false,
  giveBack() {},
}
