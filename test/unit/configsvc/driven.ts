/** Runs generator steps one at a time. */
import { KernelError } from '../../../src/core/base/errors.ts'
import type { Steps } from '../../../src/core/base/steps.ts'

export interface Driven<T> {
  /** The number of pieces into which the work was divided. */
  readonly pieces: number
  /** Undefined if the work was refused. */
  readonly value: T | undefined
  readonly refused: boolean
}

/** Runs steps until they end or refuse their input. Calls `afterPiece` after each piece. */
export function drive<T>(steps: Steps<T>, afterPiece: () => void = () => {}): Driven<T> {
  for (let pieces = 1; ; pieces++) {
    try {
      const { done, value } = steps.next()
      afterPiece()
      if (done) return { pieces, value, refused: false }
    } catch (error) {
      if (!(error instanceof KernelError)) throw error
      afterPiece()
      return { pieces, value: undefined, refused: true }
    }
  }
}

/** The processor time of the longest piece in milliseconds. */
export function longestPieceMs(steps: Steps<unknown>): number {
  let longest = 0
  let before = process.cpuUsage()
  drive(steps, () => {
    const { user } = process.cpuUsage(before)
    longest = Math.max(longest, user / 1000)
    before = process.cpuUsage()
  })
  return longest
}
