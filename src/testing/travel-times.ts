/**
 * How long each message of a simulated network travels, if it arrives at all.
 */
import type { OptionDuration, ReadOptions } from '../core/base/options.ts'
import { seededEntropy } from './seeded-entropy.ts'

export interface TravelOptions {
  /** All chance comes from it: the same seed and the same order of requests give the same faults. */
  readonly seed: string | number | Uint8Array
  /**
   * Whole milliseconds that a message takes, and an answer: always, or the least and the most, all of them equally likely. Default 0.
   * With a range, what is sent later may arrive earlier.
   */
  readonly delayMs?: OptionDuration | readonly [least: number, most: number]
  /** The probability that a message is lost, and that an answer is: 0 to 1, default 0. The requester hears nothing. */
  readonly loss?: number
  /**
   * The probability that a message arrives twice, and that an answer does: 0 to 1, default 0. The handler gets both messages, each
   * with a delay of its own; the requester takes the answer that arrives first.
   */
  readonly duplicate?: number
  /**
   * The probability that a message is held back, and that an answer is: 0 to 1, default 0. It takes the longest delay and a millisecond
   * more on top of its own, so that those sent right after it arrive before it.
   */
  readonly reorder?: number
}

/**
 * Returns what draws the times in milliseconds after which the next message arrives: none where it is lost, two where it is repeated.
 * @throws TypeError for options that are none.
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
    // Always as many draws: no probability then changes what another one does.
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
    throw new TypeError('delayMs: must be whole milliseconds, or the least and the most of them')
  return [least, most]
}
