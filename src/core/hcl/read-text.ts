/**
 * Reads a text in either notation.
 */
import { toUtf8 } from '../base/bytes.ts'
import type { Steps } from '../base/steps.ts'
import { readHcl } from './hcl.ts'
import { readJsonForm } from './json-form.ts'
import type { HclBody, TextKind } from './syntax.ts'

/** Whether a text is in JSON: with a brace no text in HCL begins. */
export const isJson = (text: string): boolean => /^[ \t\r\n]*\{/.test(text)

/**
 * The members of a text, whatever its keys mean. Time is linear in its length.
 * @throws KernelError as `kind` words it: for texts that their notation does not allow, that are too long or nested too deeply.
 */
export function* readText(text: string, kind: TextKind): Steps<HclBody> {
  if (text.length > kind.longest || toUtf8(text).length > kind.longest)
    throw kind.refuse(`a ${kind.name} is at most ${kind.longest} bytes long`)
  return yield* isJson(text) ? readJsonForm(text, kind) : readHcl(text, kind)
}
