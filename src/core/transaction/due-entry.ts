/**
 * Where due work lies: `<class>/due/<lane>/<time>/<mount>/<id>`, so that byte order is the order of time and finding the next item
 * costs the same whatever the size of the store.
 */
import { LANES, type Lane } from '../contract/lane.ts'
import type { KeyClass } from '../contract/record-kind.ts'

/** Digits of a millisecond time; enough until the year 33658. */
export const TIME_DIGITS = 15

export interface DueEntry {
  readonly key: string
  /** The key below the lane's prefix: its byte order is the order of time, whatever the class. */
  readonly name: string
  readonly lane: Lane
  /** Milliseconds. */
  readonly at: number
  readonly mount: string
  readonly id: string
}

const lanePrefix = (keyClass: KeyClass, lane: Lane): string => `${keyClass}/due/${lane}/`

/** The prefixes of all entries of a lane: work of local mounts never lies in class `r`. */
export const lanePrefixes = (lane: Lane): readonly string[] => {
  const { class: declared } = LANES[lane]
  return (declared === 'r' ? (['r', 'l'] as const) : [declared]).map((keyClass) => lanePrefix(keyClass, lane))
}

export const dueKey = (keyClass: KeyClass, lane: Lane, at: number, mount: string, id: string): string =>
  `${lanePrefix(keyClass, lane)}${String(at).padStart(TIME_DIGITS, '0')}/${mount}/${id}`

/** Reads a key that {@link dueKey} made. */
export function dueEntry(lane: Lane, key: string): DueEntry {
  const [, , , time = '', mount = '', ...rest] = key.split('/')
  const id = rest.join('/')
  return { key, name: `${time}/${mount}/${id}`, lane, at: Number(time), mount, id }
}
