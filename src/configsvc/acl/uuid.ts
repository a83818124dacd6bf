import { invalid } from '../../core/base/errors.ts'
import { uuid } from '../../core/base/identifiers.ts'
import { f } from '../../core/field/fields.ts'
import type { ConfigTx } from '../call.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const isUuid = (text: string): boolean => UUID.test(text)

/** A random UUID. It has a version digit, so it is never a reserved ID. */
export const newAclId = (tx: ConfigTx): string => uuid(tx.env.entropy.bytes(16))

/** The ID in the body of a request that creates a record. */
export const NEW_ID = f.strictText('Must be absent: the service chooses it.').default('')

/** The ID in the body of a request that changes a record. */
export const SAME_ID = f.strictText('Must equal the ID in the path.').default('')

/** The service chooses the ID of a new record. @throws KernelError 400 if the request contains one. */
export function checkNoId({ ID }: { readonly ID?: string | undefined }, thing: string): void {
  if (ID) throw invalid(`${thing} ID in URL and payload do not match`)
}
