import type { Tx } from './tx.ts'

/** The part of a transaction that code outside of transactions can also use: environment, call, time and warnings. */
export type OperationContext = Pick<Tx, 'env' | 'call' | 'now' | 'warn'>
