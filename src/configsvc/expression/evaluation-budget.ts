/**
 * What one evaluation may take, so that none holds anything up: the data may be large, and the expression is a stranger's.
 */
import { invalid } from '../../core/base/errors.ts'

/** In units of at most half a microsecond: a look at a value, or an instruction of a pattern that meets a character. */
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
