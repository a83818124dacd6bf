/** Maps the text of a token to the id of its record. */
import { toHex } from '../../base/identifiers.ts'
import type { TokenRecord } from '../../contract/token-record.ts'
import type { Tx } from '../../contract/tx.ts'
import { CHOSEN, TOKEN } from './token.ts'
import { TOKEN_SALT } from './token-id.ts'

const ID_BYTES = 32

/** Generated tokens contain a dot after their first letter; chosen texts contain no dot. */
const isChosen = (text: string): boolean => !text.includes('.')

/** The id of a token's record: the keyed hash of the text, or a random id for a text that the creator chose. The token need not exist. */
export function storedId(tx: Tx, text: string): string {
  const hash = TOKEN_SALT.of(tx).id(text)
  // Former releases stored chosen tokens under their hash too.
  return (isChosen(text) ? tx.get(CHOSEN, hash)?.token : undefined) ?? hash
}

/** Creates a random id for a chosen text. The text refers to it from this commit on. */
export function chooseId(tx: Tx, text: string): { readonly id: string; readonly chosen: string } {
  const chosen = TOKEN_SALT.of(tx).id(text)
  const id = `h${toHex(tx.env.entropy.bytes(ID_BYTES))}`
  tx.put(CHOSEN, chosen, { token: id })
  return { id, chosen }
}

/** Deletes the record of an invalid token, and the reference from its text unless it refers to a newer token. */
export function deleteTokenRecord(tx: Tx, id: string, { chosen }: TokenRecord): void {
  tx.delete(TOKEN, id)
  if (chosen !== undefined && tx.get(CHOSEN, chosen)?.token === id) tx.delete(CHOSEN, chosen)
}
