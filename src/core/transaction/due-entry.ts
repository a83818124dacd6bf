/**
 * Storage keys of the entries of the due index, which lists background work by its time: `<class>/due/<lane>/<time>/<mount>/<id>`.
 * `<class>` is the record class, and `<lane>` is the queue of the work. The keys of one class and lane are in the order of time, so finding
 * the next entry costs the same in a store of any size.
 */
import { LANES, type Lane } from '../contract/lane.ts'
import type { KeyClass } from '../contract/record-kind.ts'

/** The number of digits of a time in milliseconds; enough until the year 33658. */
export const TIME_DIGITS = 15

export interface DueEntry {
  readonly key: string
  /**
   * The key without `<class>/due/<lane>/`. The byte order of such names is the order of time, even for entries with different record
   * classes.
   */
  readonly name: string
  readonly lane: Lane
  /** Milliseconds. */
  readonly at: number
  readonly mount: string
  readonly id: string
}

/** The second segment of the storage keys of due items. */
export const DUE = 'due'

const lanePrefix = (keyClass: KeyClass, lane: Lane): string => `${keyClass}/${DUE}/${lane}/`

/**
 * The prefixes of the storage keys of all entries of a lane. A lane of class `r` (replicated to all secondaries) also has entries of class
 * `l` (replicated to DR secondaries only), for the work of local mounts.
 */
export const lanePrefixes = (lane: Lane): readonly string[] => {
  const { class: declared } = LANES[lane]
  return (declared === 'r' ? (['r', 'l'] as const) : [declared]).map((keyClass) => lanePrefix(keyClass, lane))
}

export const dueKey = (keyClass: KeyClass, lane: Lane, at: number, mount: string, id: string): string =>
  `${lanePrefix(keyClass, lane)}${String(at).padStart(TIME_DIGITS, '0')}/${mount}/${id}`

/** Parses a key that {@link dueKey} made. */
export function dueEntry(lane: Lane, key: string): DueEntry {
  const [, , , time = '', mount = '', ...rest] = key.split('/')
  const id = rest.join('/')
  return { key, name: `${time}/${mount}/${id}`, lane, at: Number(time), mount, id }
}
