/** Memory for long values. The cost of fresh memory differs between platforms, so nothing is pooled here. */
import type { Rooms } from '../../core/base/rooms.ts'

export const rooms: Rooms = {
  take: (length) => new Uint8Array(length),
  isTaken: () => false,
  areMany: false,
  giveBack() {},
}
