import { noPath } from '../../../core/field/coercion.ts'
import { type Builder, buildField } from '../../../core/field/field.ts'
import { f } from '../../../core/field/fields.ts'

const ROLE_NAME = /^\w(?:[\w.@-]*\w)?$/

function validateRoleName(value: string, name: string): string {
  if (ROLE_NAME.test(value)) return value
  throw noPath(name, 'must be letters, digits, "_", "-", "." and "@", and begin and end with a letter, a digit or "_"')
}

/**
 * The field for the name of a role in a path, which may contain `@` besides the usual characters. A request for a path with an invalid name
 * gets 404.
 */
export function roleName(description = 'The name of the role.'): Builder<string> {
  const text = f.text(description)
  return buildField({
    ...text,
    fromTyped: (value, name) => validateRoleName(text.fromTyped(value, name), name),
    strict: text.strict,
    decode: (value, name) => validateRoleName(value as string, name),
    schema: { type: 'string', pattern: ROLE_NAME.source },
  })
}
