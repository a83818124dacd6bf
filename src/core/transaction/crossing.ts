/**
 * The way from what an operation sees to the transaction behind it. Room: core/transaction. Imported by the kernel's own parts that join
 * records of two places in one commit; an engine has no business with it.
 */
import { NEEDS_WRITE } from './signals.ts'
import { Transaction } from './transaction.ts'
import type { Tx } from './tx.ts'

export function transactionOf(tx: Tx): Transaction {
  if (tx instanceof Transaction) return tx
  throw NEEDS_WRITE
}
