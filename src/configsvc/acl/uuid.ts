/**
 * IDs of ACL objects.
 */
import { invalid } from '../../core/base/errors.ts'
import { uuid } from '../../core/base/identifiers.ts'
import { f } from '../../core/field/fields.ts'
import type { ConfigTx } from '../call.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const isUuid = (text: string): boolean => UUID.test(text)

/** Never one of the reserved ones, which have no version. */
export const newAclId = (tx: ConfigTx): string => uuid(tx.env.entropy.bytes(16))

/** The ID in the body of a request that makes something. */
export const NEW_ID = f.strictText('Not to be given: the service chooses it.').default('')

/** The ID in the body of a request that changes something. */
export const SAME_ID = f.strictText('The same as in the path.').default('')

/** What is made gets its ID here. @throws KernelError 400 where a request brings one. */
export function checkNoId({ ID }: { readonly ID?: string | undefined }, thing: string): void {
  if (ID) throw invalid(`${thing} ID in URL and payload do not match`)
}
