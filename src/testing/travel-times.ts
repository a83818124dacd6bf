import type { OptionDuration, ReadOptions } from '../core/base/options.ts'
import { seededEntropy } from './seeded-entropy.ts'

export interface TravelOptions {
  /** The seed of all random choices. The same seed and the same order of requests cause the same faults. */
  readonly seed: string | number | Uint8Array
  /**
   * The delay of each message and each answer in whole milliseconds: a fixed number, or the minimum and maximum of a uniform distribution.
   * Default: 0. With a minimum and a maximum, messages may overtake each other.
   */
  readonly delayMs?: OptionDuration | readonly [least: number, most: number]
  /** The probability that a message or an answer is lost, from 0 to 1. Default: 0. The requester receives no error. */
  readonly loss?: number
  /**
   * The probability that a message or an answer arrives twice, from 0 to 1. Default: 0. The copies have independent delays. The handler receives both
   * messages; the requester uses the answer that arrives first.
   */
  readonly duplicate?: number
  /**
   * The probability that a message or an answer is held back, from 0 to 1. Default: 0. Its delay is increased by the maximum delay plus one
   * millisecond, so that messages sent immediately after it arrive earlier.
   */
  readonly reorder?: number
}

/**
 * Returns a function that draws the delays of the next message in milliseconds. The list is empty if the message is lost, and has two
 * delays if it is duplicated.
 * @throws TypeError for invalid options.
 */
export function travelTimes(options: ReadOptions<TravelOptions>): () => readonly number[] {
  const loss = parseProbability('loss', options.loss)
  const duplicate = parseProbability('duplicate', options.duplicate)
  const reorder = parseProbability('reorder', options.reorder)
  const [least, most] = parseDelay(options.delayMs ?? 0)
  const entropy = seededEntropy(options.seed)

  const random = (): number => new DataView(entropy.bytes(4).buffer).getUint32(0) / 2 ** 32
  const time = (): number => {
    const held = random() < reorder
    const ms = least + Math.floor(random() * (most - least + 1))
    return held ? ms + most + 1 : ms
  }

  return () => {
    // Draw the same number of values for every message, so that a change to one probability does not change the random choices for the
    // others.
    const [lost, twice] = [random() < loss, random() < duplicate]
    const times = [time(), time()]
    return lost ? [] : times.slice(0, twice ? 2 : 1)
  }
}

function parseProbability(name: string, value = 0): number {
  if (typeof value !== 'number' || !(value >= 0 && value <= 1)) throw new TypeError(`${name}: must be a number from 0 to 1`)
  return value
}

function parseDelay(delay: number | readonly [number, number]): readonly [number, number] {
  const [least, most] = typeof delay === 'number' ? [delay, delay] : delay
  if (!Number.isSafeInteger(least) || !Number.isSafeInteger(most) || least < 0 || least > most)
    throw new TypeError('delayMs: must be whole milliseconds, or their minimum and maximum')
  return [least, most]
}
