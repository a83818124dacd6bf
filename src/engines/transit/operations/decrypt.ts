/** POST decrypt/:name (spec document 1, "Decrypt"). */
import { invalid } from '../../../core/base/errors.ts'
import type { Outcome } from '../../../core/base/steps.ts'
import { batchOperation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { ASSOCIATED_DATA, admitOpening, CONTEXT, checkContexts, encryptorOf, NONCE, type Opening, opened } from '../item-rules.ts'
import { type RingKeys, ringInUse } from '../ring-keys.ts'
import { checkPadding, PADDING_SCHEME } from './padding.ts'

interface Unsealing {
  readonly keys: RingKeys
  readonly opening: Opening
}

const open = ({ keys, opening }: Unsealing): Outcome<Uint8Array> => opened(keys, opening)

const show = (plaintext: Uint8Array) => ({ plaintext })

export const decrypt = batchOperation({
  kind: 'read',
  verb: 'POST',
  path: '/decrypt/:name',
  summary: 'Decrypts a ciphertext that was made under a named key.',
  fields: { name: f.name('The name of the key.') },
  item: {
    ciphertext: f.text('As encrypt returned it.').needed(''),
    associated_data: ASSOCIATED_DATA,
    context: CONTEXT,
    nonce: NONCE,
    padding_scheme: PADDING_SCHEME,
  },
  itemTypes: 'strict',
  itemNeeds: [],
  returns: { plaintext: f.bytes('What was encrypted.') },
  failedItems: 'counted',
  failedItem: { plaintext: '' },
  open: (tx, { name }, items) => {
    if (items.batch) checkContexts(items)
    if (!items.batch && !items.gives(0, 'ciphertext')) throw invalid('ciphertext: is required')
    return ringInUse(tx, name, 'open')
  },
  cost: (keys) => keys.type.costs.decrypt,
  admit: (keys, item) => {
    checkPadding(encryptorOf(keys), item.padding_scheme)
    const opening = admitOpening(keys, item.ciphertext, item)
    const work = keys.work({ keys, opening }, open, show)
    return keys.crew ? keys.crew.carried(work, opening, show) : work
  },
})
