/** The parameters and results of the operations on plugin runtimes (spec document 2, "Plugin runtime"). */
import { invalid } from '../../../core/base/errors.ts'
import { isName } from '../../../core/field/coercion.ts'
import { buildField } from '../../../core/field/field.ts'
import { f } from '../../../core/field/fields.ts'

export const RUNTIME_TYPES = ['container'] as const
export type RuntimeType = (typeof RUNTIME_TYPES)[number]

/** Far more than a path of a control group or the name of a program takes. */
const MOST_CHARACTERS = 4096

/** @throws KernelError 400 */
export function checkRuntimeType(type: string): RuntimeType {
  const known = RUNTIME_TYPES.find((each) => each === type)
  if (known) return known
  const shown = type.length <= 40 && isName(type) ? `"${type}"` : 'this'
  throw invalid(`type: ${shown} is not a supported plugin runtime type: it must be ${RUNTIME_TYPES.join(', ')}`)
}

export const NAME = f.name('The name of the runtime.')

const { fromTyped, coerce, decode, schema } = NAME

/** A name by its grammar, as every part of a path; which of them are types, the operations say. */
export const TYPE = buildField<string, RuntimeType>({
  fromTyped,
  coerce,
  decode,
  description: 'The type of the runtime: `container`.',
  schema: { ...schema, enum: RUNTIME_TYPES },
})

/** @throws KernelError 400 */
export function checkLength(text: string, parameter: string): string {
  if (text.length <= MOST_CHARACTERS) return text
  throw invalid(`${parameter}: at most ${MOST_CHARACTERS} characters are taken`)
}

export const RUNTIME_RESULT = {
  name: f.text('Its name.'),
  type: f.oneOf(RUNTIME_TYPES, 'Its type.'),
  oci_runtime: f.text('The OCI runtime, as it was given. Empty: `runsc`.'),
  cgroup_parent: f.text('The parent of the control groups of its containers; empty for none.'),
  cpu_nanos: f.int('What each container may use, in billionths of a CPU; 0: no limit.'),
  memory_bytes: f.int('How much memory each container may use, in bytes; 0: no limit.'),
  rootless: f.bool('Whether its containers run without the rights of root.'),
}
