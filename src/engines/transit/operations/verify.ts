import { EMPTY } from '../../../core/base/bytes.ts'
import { invalid } from '../../../core/base/errors.ts'
import { batchOperation, type Items } from '../../../core/contract/operation.ts'
import type { Work } from '../../../core/contract/tx.ts'
import { f } from '../../../core/field/fields.ts'
import { hmacHash } from '../hashes.ts'
import { CONTEXT } from '../item-rules.ts'
import type { SigningRules } from '../key-types/key-type.ts'
import { signJob } from '../key-types/sign-job.ts'
import { verifyMac } from '../macs.ts'
import { RingKeys, ringInUse, ringNamed } from '../ring-keys.ts'
import { checkNone, decodeSignature, SIGNING_FIELDS, signerOf, signingRules } from '../signing.ts'
import { parseSignatureText } from '../text.ts'
import { consumingVersion } from '../versions.ts'

interface VerifiedItem {
  readonly valid: boolean
}

const item = {
  input: f.bytes('The signed data, or its digest if prehashed is set.').lent().optional(),
  signature: f.text('The signature that sign returned.').optional(),
  hmac: f.text('The HMAC that hmac returned.').optional(),
  context: CONTEXT,
}

/**
 * @throws KernelError 400 if the key does not exist, if the key is soft-deleted, if `signature` and `hmac` are both missing or both given,
 *   if `signature` is given and keys of this type do not sign, if `hmac` is given and the key is a managed key, if `hash_algorithm`,
 *   `marshaling_algorithm`, `signature_algorithm` or `salt_length` is invalid or not supported for the key, if `signature` or `hmac` is
 *   malformed or names a version that does not exist or is below `min_decryption_version`, or if the key is derived and `context` is
 *   missing or longer than 131,072 bytes. A wrong signature is not an error.
 * @throws KernelError 502 if the external system that keeps a managed key refuses the call, fails, or cannot be reached.
 * @example
 * const { valid } = await kernel.transit.verify({ name: 'receipts', input, signature })
 */
export const verify = batchOperation({
  kind: 'read',
  verb: 'POST',
  path: '/verify/:name(/:hash_algorithm)',
  summary: 'Verifies a signature or an HMAC of data.',
  fields: SIGNING_FIELDS,
  /**
   * @throws KernelError 400 if `batch_input` is empty, if the key does not exist, if an item has neither a signature nor an HMAC, if some
   *   items have a signature and others have only an HMAC, if the items have signatures and keys of this type do not sign, or if
   *   `hash_algorithm`, `marshaling_algorithm` or `salt_length` is invalid. These errors refuse the whole batch. Every other 400 of
   *   `verify` refuses only one item and is in the result of that item.
   * @throws KernelError 502 if the external system that keeps a managed key refuses the call, fails, or cannot be reached.
   */
  item,
  itemTypes: 'texts',
  itemNeeds: [],
  returns: { valid: f.bool('Whether the signature or HMAC is valid.') },
  failedItems: 'ignored',
  failedItem: { valid: false },
  open: (tx, input, items) => {
    const kind = kindOf(items)
    if (kind === 'hmac') {
      const ring = ringNamed(tx, input.name)
      const hash = hmacHash(input.hash_algorithm, input.algorithm)
      return { kind, env: tx.env, keys: new RingKeys(tx, ring, 'mac', { hash }), batch: items.batch, hash } as const
    }
    const rules = signingRules(input)
    const keys = ringInUse(tx, input.name, 'verify', { rules })
    const signer = signerOf(keys, 'verification')
    checkNone(rules)
    return { kind, env: tx.env, keys, signer, rules, batch: items.batch } as const
  },
  cost: (state) => (state.kind === 'hmac' ? 6 : state.keys.type.costs(state.env, state.rules.prehashed).verify),
  admit: (state, { input, signature, hmac, context }): Work<VerifiedItem> => {
    if (input === undefined && state.batch) throw invalid('input: is required')
    if (state.kind === 'hmac') return verifyMac(state.env, state.keys, hmac ?? '', state.hash, input ?? EMPTY)
    const { env, keys, signer, rules } = state
    const { bytes, version } = signatureParts(keys, rules, signature ?? '')
    const derivation = keys.derivation(version, context)
    const key = keys.version(version)
    const job = signJob(rules, input ?? EMPTY, derivation, keys.sync)
    const work = keys.work(job, (given) => signer.verify(env, key, given, bytes), show)
    return keys.workers ? keys.workers.offload(work, { key, derivation, input: job.input, signature: bytes }, show) : work
  },
})

const show = (valid: boolean): VerifiedItem => ({ valid })

/** In a batch, an empty value counts as present. It is refused like any other malformed signature or HMAC. */
function has(items: Items<typeof item>, index: number, member: 'signature' | 'hmac'): boolean {
  const decoded = items.all[index]
  if (!items.batch || decoded === undefined || decoded instanceof Error) return items.gives(index, member)
  return decoded[member] !== undefined
}

/**
 * Returns whether the items of a request have signatures or HMACs.
 * @throws KernelError 400 if some items have signatures and others have HMACs, if an item has neither, or if a request without a batch has both
 */
function kindOf(items: Items<typeof item>): 'signature' | 'hmac' {
  if (!items.batch && items.gives(0, 'signature') && items.gives(0, 'hmac'))
    throw invalid('signature and hmac: give one of them, not both')
  const kind = has(items, 0, 'signature') ? 'signature' : 'hmac'
  for (let index = 0; index < items.all.length; index++) {
    // An item with both a signature and an HMAC counts as an item with a signature.
    if (has(items, index, kind) && (kind === 'signature' || !has(items, index, 'signature'))) continue
    throw invalid(
      items.batch
        ? 'batch_input: all items must have a signature, or all must have an hmac'
        : 'signature or hmac: one of them is required',
    )
  }
  return kind
}

function signatureParts(keys: RingKeys, rules: SigningRules, text: string): { bytes: Uint8Array; version: number } {
  const { version, body } = parseSignatureText(keys.form, text, 'signature')
  return { version: consumingVersion(keys.ring, version, 'signature'), bytes: decodeSignature(rules, body) }
}
