/** Which of the points at which a process can be paused are tried. */
import { SLOW } from '../property/support.ts'

/** All with `SLOW`. Looks at the store are many and alike; of the other calls the moment before one and behind the next. */
export const sampledPoints = <T extends { readonly call: string }>(points: readonly T[]): readonly T[] =>
  points.filter(({ call }, index) => SLOW || (call === 'read' ? index % 8 === 0 : index % 4 === 0 || index % 4 === 3))
