/**
 * Where due work lies: `<class>/due/<lane>/<time>/<mount>/<id>`, so that byte order is the order of time and finding the next item
 * costs the same whatever the size of the store.
 */
import type { Lane } from '../contract/lane.ts'
import type { KeyClass } from '../contract/record-kind.ts'

/** Digits of a millisecond time; enough until the year 33658. */
const TIME_DIGITS = 15

export interface DueEntry {
  readonly key: string
  readonly lane: Lane
  /** Milliseconds. */
  readonly at: number
  readonly mount: string
  readonly id: string
}

export const lanePrefix = (keyClass: KeyClass, lane: Lane): string => `${keyClass}/due/${lane}/`

export const dueKey = (keyClass: KeyClass, lane: Lane, at: number, mount: string, id: string): string =>
  `${lanePrefix(keyClass, lane)}${String(at).padStart(TIME_DIGITS, '0')}/${mount}/${id}`

/** Reads a key that {@link dueKey} made. */
export function dueEntry(lane: Lane, key: string): DueEntry {
  const [, , , time = '', mount = '', ...id] = key.split('/')
  return { key, lane, at: Number(time), mount, id: id.join('/') }
}
