/**
 * Returns the transaction behind the `Tx` of an operation. A cached view is not a transaction: the thrown signal causes the operation to
 * run again in one.
 */
import { NEEDS_WRITE } from '../contract/signals.ts'
import type { Tx } from '../contract/tx.ts'
import { Transaction } from './transaction.ts'

export function transactionOf(tx: Tx): Transaction {
  if (tx instanceof Transaction) return tx
  throw NEEDS_WRITE
}
