import { invalid } from '../../../core/base/errors.ts'
import { noPath } from '../../../core/field/coercion.ts'
import type { Builder } from '../../../core/field/field.ts'
import { f } from '../../../core/field/fields.ts'
import { checkedField } from '../../credentials/checked-field.ts'

const ROLE_NAME = /^\w(?:[\w.@-]*\w)?$/

function validateRoleName(value: string, name: string): string {
  if (ROLE_NAME.test(value)) return value
  throw noPath(name, 'must be letters, digits, "_", "-", "." and "@", and begin and end with a letter, a digit or "_"')
}

/**
 * The field for the name of a role in a path, which may contain `@` besides the usual characters. A request for a path with an invalid name
 * gets 404.
 */
export const roleName = (): Builder<string> =>
  checkedField({ ...f.text('The name of the role.'), schema: { type: 'string', pattern: ROLE_NAME.source } }, validateRoleName)

/**
 * The maximum length of the name of a static role. With a longer name, the scheduled rotation of the role could not be stored: its storage
 * key consists of a prefix and the name, and the length of storage keys is limited.
 */
const MAX_STATIC_NAME_CHARACTERS = 1024

/** Refuses names that are too long, so that the cloud is not called for a static role that cannot be stored. @throws KernelError 400 */
export function assertStaticNameLength(name: string): void {
  if (name.length > MAX_STATIC_NAME_CHARACTERS) throw invalid(`name: must be at most ${MAX_STATIC_NAME_CHARACTERS} characters`)
}
