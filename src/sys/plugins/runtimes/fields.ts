/** The parameters and results of the operations on plugin runtimes, as in OpenBao. */
import { invalid } from '../../../core/base/errors.ts'
import { isName } from '../../../core/field/coercion.ts'
import { buildField } from '../../../core/field/field.ts'
import { f } from '../../../core/field/fields.ts'

export const RUNTIME_TYPES = ['container'] as const
export type RuntimeType = (typeof RUNTIME_TYPES)[number]

/** The maximum number of characters, far more than any cgroup path or program name has. */
const MAX_TEXT_CHARACTERS = 4096

/** @throws KernelError 400 */
export function checkRuntimeType(type: string): RuntimeType {
  const known = RUNTIME_TYPES.find((each) => each === type)
  if (known) return known
  const shown = type.length <= 40 && isName(type) ? `"${type}"` : 'this'
  throw invalid(`type: ${shown} is not a supported plugin runtime type: it must be ${RUNTIME_TYPES.join(', ')}`)
}

export const RUNTIME_NAME = f.name('The name of the runtime.')

const { fromTyped, coerce, decode, schema } = RUNTIME_NAME

/** Accepts every path segment. The operations refuse segments that are not runtime types. */
export const TYPE = buildField<string, RuntimeType>({
  fromTyped,
  coerce,
  decode,
  description: 'The type of the runtime: `container`.',
  schema: { ...schema, enum: RUNTIME_TYPES },
})

/** @throws KernelError 400 */
export function checkLength(text: string, parameter: string): string {
  if (text.length <= MAX_TEXT_CHARACTERS) return text
  throw invalid(`${parameter}: must have at most ${MAX_TEXT_CHARACTERS} characters`)
}

export const RUNTIME_RESULT = {
  name: f.text('The name of the runtime.'),
  type: f.oneOf(RUNTIME_TYPES, 'Its type.'),
  oci_runtime: f.text('The registered OCI runtime. Empty means `runsc`.'),
  cgroup_parent: f.text("The parent cgroup of the runtime's containers; may be empty."),
  cpu_nanos: f.int('The CPU limit of each container, in billionths of a CPU; 0 means no limit.'),
  memory_bytes: f.int('The memory limit of each container, in bytes; 0 means no limit.'),
  rootless: f.bool("Whether the runtime's containers run without root privileges."),
}
