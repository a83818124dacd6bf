/** All random choices of a schedule, from its seed. */
import { seededEntropy } from '../../../src/testing/index.ts'

export class Dice {
  readonly #entropy: ReturnType<typeof seededEntropy>

  constructor(seed: string) {
    this.#entropy = seededEntropy(seed)
  }

  /** From 0 to 1, exclusive. */
  fraction(): number {
    return new DataView(this.#entropy.bytes(4).buffer).getUint32(0) / 2 ** 32
  }

  /** An integer from `least` to `most`, inclusive. */
  int(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1))
  }

  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  /** @throws RangeError for an empty list. */
  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new RangeError('nothing to choose from')
    return list[this.int(0, list.length - 1)] as T
  }

  weighted<T>(list: readonly (readonly [weight: number, value: T])[]): T {
    let at = this.fraction() * list.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, value] of list) {
      at -= weight
      if (at < 0) return value
    }
    return this.pick(list)[1]
  }
}
