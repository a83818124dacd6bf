import type { Tx } from './tx.ts'

/** The part of a transaction that can also be used outside of one: environment, call, time and warnings. */
export type OperationContext = Pick<Tx, 'env' | 'call' | 'now' | 'warn'>
