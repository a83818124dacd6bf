/**
 * Registers as the key/value engine has them, each write a version of its own: what may have been seen of them, by callers that see
 * everything at once and by callers that may be behind by a bound.
 */
import type { Model, Timed } from './linearizable.ts'

/** Version 0 and value 0: nothing was written yet. */
export interface Register {
  readonly version: number
  readonly value: number
}

export type RegisterOp =
  | { readonly kind: 'read'; readonly version: number; readonly value: number }
  /** `version`: what it became; undefined where nobody learnt it. */
  | ({ readonly kind: 'write'; readonly value: number; readonly version: number | undefined } & Unknown)
  /** `version`: undefined where nobody learnt whether it was written, 0 where it was refused because another version was there. */
  | ({ readonly kind: 'cas'; readonly expected: number; readonly value: number; readonly version: number | undefined } & Unknown)

export interface Unknown {
  /** Where the version is unknown: those that it may have become. Default: any. */
  readonly among?: ReadonlySet<number>
}

export const REGISTER: Model<Register, RegisterOp> = {
  initial: { version: 0, value: 0 },
  name: ({ version, value }) => `${version}=${value}`,
  step(state, op) {
    const next = { version: state.version + 1, value: op.value }
    if (op.kind === 'read') return op.version === state.version && op.value === state.value ? state : undefined
    const mayBecome = op.version === undefined ? (op.among?.has(next.version) ?? true) : op.version === next.version
    if (op.kind === 'write') return mayBecome ? next : undefined
    const fits = op.expected === state.version
    if (op.version === 0) return fits ? undefined : state
    // One of which nobody learnt anything changes nothing where it does not fit.
    if (!fits) return op.version === undefined ? state : undefined
    return mayBecome ? next : undefined
  },
}

/**
 * The first read, if any, that showed what was no longer there `bound` before it began, what was never written, or what nobody had begun to
 * write when it ended. Every write has to be known, with its version.
 */
export function firstOutdated(
  reads: readonly Timed<RegisterOp & { readonly kind: 'read' }>[],
  writes: readonly Timed<RegisterOp>[],
  bound: number,
): Timed<RegisterOp> | undefined {
  const made = writes.filter(({ op }) => op.kind !== 'read' && op.version !== 0)
  const byVersion = new Map(made.map((write) => [(write.op as { version?: number }).version, write]))
  return reads.find(({ op, start, end }) => {
    const written = byVersion.get(op.version)
    const isReal = op.version === 0 ? op.value === 0 : written && written.op.value === op.value && written.start <= end
    const isOverwritten = made.some(
      (write) => ((write.op as { version?: number }).version ?? 0) > op.version && write.end < start - bound,
    )
    return !isReal || isOverwritten
  })
}
