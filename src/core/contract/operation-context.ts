import type { Tx } from './tx.ts'

/** The part of a transaction that an operation may also use outside of one: environment, call, time and warnings. */
export type OperationContext = Pick<Tx, 'env' | 'call' | 'now' | 'warn'>
