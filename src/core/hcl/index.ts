/** Reads HCL version 1 and its JSON form. The caller interprets the members and defines the wording of errors. */
import { toUtf8 } from '../base/bytes.ts'
import type { Steps } from '../base/steps.ts'
import { readHcl } from './hcl.ts'
import { readJsonForm } from './json-form.ts'
import type { HclBody, TextKind } from './syntax.ts'

export { HclBody, type HclMember, type HclValue, lineNumberAt, quoteText, type TextKind } from './syntax.ts'

/** Whether a text is JSON. HCL never begins with a brace. */
export const isJson = (text: string): boolean => /^[ \t\r\n]*\{/.test(text)

/**
 * Returns the members of a text. The time is linear in the length of the text.
 * @throws KernelError if the text is malformed, too long or nested too deeply. `kind` defines the wording.
 */
export function* readText(text: string, kind: TextKind): Steps<HclBody> {
  if (text.length > kind.longest || toUtf8(text).length > kind.longest)
    throw kind.refuse(`a ${kind.name} must be at most ${kind.longest} bytes long`)
  return yield* isJson(text) ? readJsonForm(text, kind) : readHcl(text, kind)
}
