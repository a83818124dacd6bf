/** Turns the record of a new token into the token's text. */
import { base62 } from '../../base/identifiers.ts'
import type { TokenRecord } from '../../contract/token-record.ts'
import type { Tx } from '../../contract/tx.ts'
import { sealBatchToken } from './batch-token.ts'
import { checkToken, storeChosen, storeToken } from './store-token.ts'
import { newAccessor, newServiceToken } from './token-id.ts'

const CUBBYHOLE_CHARACTERS = 24

/** The accessor and cubbyhole id of a new token in the call's namespace. Batch tokens have neither. */
export function newNames(tx: Tx, type: TokenRecord['type']): Pick<TokenRecord, 'accessor' | 'cubbyhole'> {
  const { entropy } = tx.env
  if (type === 'batch') return { accessor: '', cubbyhole: '' }
  return { accessor: newAccessor(entropy, tx.call.namespace), cubbyhole: base62(entropy, CUBBYHOLE_CHARACTERS) }
}

/**
 * Stores or encrypts a token and publishes its event. Must run on the kernel's own records.
 * @param chosen The token's text, if the creator chose it. Default: random.
 * @returns The token's text, which is shown only once.
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
