/**
 * Returns the `Tx` of an operation as a `Transaction`. A `Tx` that only reads caches is not a `Transaction`; then the thrown signal causes
 * the operation to run again in a `Transaction`.
 */
import { NEEDS_WRITE } from '../contract/signals.ts'
import type { Tx } from '../contract/tx.ts'
import { Transaction } from './transaction.ts'

export function transactionOf(tx: Tx): Transaction {
  if (tx instanceof Transaction) return tx
  throw NEEDS_WRITE
}
