/** Creates a token from its record. */
import type { TokenRecord } from '../../contract/token-record.ts'
import type { Tx } from '../../contract/tx.ts'
import { sealBatchToken } from './batch-token.ts'
import { checkToken, storeChosen, storeToken } from './store-token.ts'
import { newAccessor, newCubbyholeId, newServiceToken } from './token-id.ts'

/** The accessor and cubbyhole id of a new token in the call's namespace. Batch tokens have neither. */
export function newNames(tx: Tx, type: TokenRecord['type']): Pick<TokenRecord, 'accessor' | 'cubbyhole'> {
  const { entropy } = tx.env
  if (type === 'batch') return { accessor: '', cubbyhole: '' }
  return { accessor: newAccessor(entropy, tx.call.namespace), cubbyhole: newCubbyholeId(entropy) }
}

/**
 * Stores a service token or encrypts a batch token, and publishes the event. Must run on the kernel's own records.
 * @param chosen The token string, if the creator chose it. Default: random.
 * @returns The token string. It is shown only once.
 * @throws KernelError 403 if an ancestor is invalid, 400 if the record is too large.
 */
export function issueToken(tx: Tx, record: TokenRecord, chosen?: string): string {
  const text = textOf(tx, record, chosen)
  const { accessor, display_name, policies, type: token_type } = record
  tx.event('token.created', { accessor, display_name, policies, token_type })
  return text
}

function textOf(tx: Tx, record: TokenRecord, chosen: string | undefined): string {
  const { namespace } = tx.call
  if (record.type === 'batch') {
    checkToken(tx, record)
    return sealBatchToken(tx, record, namespace)
  }
  if (chosen !== undefined) {
    storeChosen(tx, chosen, record)
    return chosen
  }
  const text = newServiceToken(tx.env.entropy, namespace)
  storeToken(tx, text, record)
  return text
}
