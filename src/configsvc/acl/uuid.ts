import { invalid } from '../../core/base/errors.ts'
import { uuid } from '../../core/base/identifiers.ts'
import { f } from '../../core/field/fields.ts'
import type { ConfigTx } from '../call.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const isUuid = (text: string): boolean => UUID.test(text)

/** A random UUID. Its version digit is not 0, so it is never one of the reserved IDs. */
export const newAclId = (tx: ConfigTx): string => uuid(tx.env.entropy.bytes(16))

/** The ID in the body of a request to create a record. */
export const NEW_ID = f.strictText('Must be absent: the service chooses it.').default('')

/** The ID in the body of a request to change a record. */
export const SAME_ID = f.strictText('Must equal the ID in the path.').default('')

/** @throws KernelError 400 if the request to create a record contains an ID, because the service chooses it. */
export function checkNoId({ ID }: { readonly ID?: string | undefined }, thing: string): void {
  if (ID) throw invalid(`${thing} ID in URL and payload do not match`)
}
