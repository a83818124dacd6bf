/**
 * Versioned registers, as the key/value engine has them, with two models of reads: linearizable reads, and reads that may be stale up to a
 * bound.
 */
import type { Model, Timed } from './linearizable.ts'

/** Version 0 and value 0 before the first write. */
export interface Register {
  readonly version: number
  readonly value: number
}

export type RegisterOp =
  | { readonly kind: 'read'; readonly version: number; readonly value: number }
  /** `version`: the created version; undefined if the outcome is unknown. */
  | ({ readonly kind: 'write'; readonly value: number; readonly version: number | undefined } & Unknown)
  /** `version`: undefined if the outcome is unknown, 0 if the write was refused because of another version. */
  | ({ readonly kind: 'cas'; readonly expected: number; readonly value: number; readonly version: number | undefined } & Unknown)

export interface Unknown {
  /** If the version is unknown: the versions that the write may have created. Default: any. */
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
    // A compare-and-set of unknown outcome changes nothing if its version does not match.
    if (!fits) return op.version === undefined ? state : undefined
    return mayBecome ? next : undefined
  },
}

/**
 * The first read, if any, of a value that was overwritten more than `bound` before the read began, that was never written, or whose write
 * had not begun when the read ended. All writes must have known versions.
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
