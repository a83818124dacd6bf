/**
 * From the `Tx` that an operation sees to the transaction behind it.
 */
import { NEEDS_WRITE } from '../contract/signals.ts'
import type { Tx } from '../contract/tx.ts'
import { Transaction } from './transaction.ts'

export function transactionOf(tx: Tx): Transaction {
  if (tx instanceof Transaction) return tx
  throw NEEDS_WRITE
}
