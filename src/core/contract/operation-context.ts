import type { Tx } from './tx.ts'

/** The members of a transaction that an operation has even if it runs outside of transactions: environment, call, time and warnings. */
export type OperationContext = Pick<Tx, 'env' | 'call' | 'now' | 'warn'>
