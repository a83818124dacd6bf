import { invalid } from '../../../core/base/errors.ts'
import type { StepsOutcome } from '../../../core/base/steps.ts'
import { batchOperation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import {
  ASSOCIATED_DATA,
  CONTEXT,
  checkContexts,
  checkDecryption,
  type DecryptionItem,
  decryptItem,
  encryptorOf,
  NONCE_FIELD,
} from '../item-rules.ts'
import { type RingKeys, ringInUse } from '../ring-keys.ts'
import { checkPadding, PADDING_SCHEME } from './padding.ts'

interface DecryptJob {
  readonly keys: RingKeys
  readonly decryption: DecryptionItem
}

const open = ({ keys, decryption }: DecryptJob): StepsOutcome<Uint8Array> => decryptItem(keys, decryption)

const show = (plaintext: Uint8Array) => ({ plaintext })

export const decrypt = batchOperation({
  kind: 'read',
  verb: 'POST',
  path: '/decrypt/:name',
  summary: 'Decrypts a ciphertext of a named key.',
  fields: { name: f.name('The name of the key.') },
  item: {
    ciphertext: f.text('The ciphertext that encrypt returned.').needed(''),
    associated_data: ASSOCIATED_DATA,
    context: CONTEXT,
    nonce: NONCE_FIELD,
    padding_scheme: PADDING_SCHEME,
  },
  itemTypes: 'strict',
  itemNeeds: [],
  returns: { plaintext: f.bytes('The decrypted data.') },
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
    const decryption = checkDecryption(keys, item.ciphertext, item)
    const work = keys.work({ keys, decryption }, open, show)
    return keys.workers ? keys.workers.offload(work, decryption, show) : work
  },
})
