/** Limits the work of one evaluation, because data may be large and expressions come from callers. */
import { invalid } from '../../core/base/errors.ts'

/** A unit takes at most half a microsecond: reading one value, or matching one character against one instruction of a pattern. */
const MAX_UNITS = 65_536

export class EvaluationBudget {
  #left = MAX_UNITS

  get spent(): number {
    return MAX_UNITS - this.#left
  }

  /** @throws KernelError 400 */
  spend(units: number): void {
    this.#left -= units
    if (this.#left < 0) throw invalid('the expression takes too long for this value: a pattern or a list is too large')
  }
}
