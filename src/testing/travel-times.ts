import type { OptionDuration, ReadOptions } from '../core/base/options.ts'
import { seededEntropy } from './seeded-entropy.ts'

export interface TravelOptions {
  /**
   * The seed of all random choices. With the same seed and the same order of requests, the same messages are delayed, lost and duplicated.
   */
  readonly seed: string | number | Uint8Array
  /**
   * The delay of each message and each answer in whole milliseconds: a fixed number, or the minimum and maximum of a uniform distribution.
   * Default: 0. With different minimum and maximum, a message can arrive before an earlier one.
   */
  readonly delayMs?: OptionDuration | readonly [least: number, most: number]
  /**
   * The probability that a message or an answer is lost, from 0 to 1. The requester then gets neither an answer nor an error. Default: 0.
   */
  readonly loss?: number
  /**
   * The probability that a message or an answer arrives twice, from 0 to 1. Default: 0. The copies have independent delays. The handler
   * receives both messages; the requester uses the answer that arrives first.
   */
  readonly duplicate?: number
  /**
   * The probability that a message or an answer is held back, from 0 to 1. Default: 0. A message that is held back has the maximum delay plus
   * one millisecond added to its delay, so messages sent immediately after it arrive earlier.
   */
  readonly reorder?: number
}

/**
 * Returns a function that draws the fate of the next message: a list with the delay of each copy, in milliseconds. The list is empty if the
 * message is lost, and has two delays if the message is duplicated.
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
    throw new TypeError('delayMs: must be a whole number of milliseconds, or the minimum and maximum of such numbers')
  return [least, most]
}
