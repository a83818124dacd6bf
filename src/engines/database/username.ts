/**
 * Names of dynamic users.
 */

import { invalid } from '../../core/base/errors.ts'
import { texts } from '../../core/base/texts.ts'
import { compileTemplate, type TemplateInput } from '../../core/template/index.ts'
import type { DatabaseConnection } from './port.ts'

const PARAMETER = 'username_template'

/** Quotes of all databases, backslashes, control characters: what a statement could take for something else. */
const UNSAFE = /['"`\\\p{Cc}]/u

/** @throws KernelError 400 for a template that is none, or that fails over empty fields */
export function checkUsernameTemplate(template: string, { now, entropy }: Pick<TemplateInput, 'now' | 'entropy'>): void {
  compileTemplate(template, PARAMETER).run({ fields: { DisplayName: '', RoleName: '' }, now, entropy })
}

/**
 * A name over `DisplayName` and `RoleName` that the database keeps as it is.
 * @throws KernelError 400 for one that is empty, longer than the database keeps, or holds quotes, backslashes or control characters.
 */
export function makeUsername(template: string, input: TemplateInput, longest: DatabaseConnection['longest_name']): string {
  const name = compileTemplate(template, PARAMETER).run(input)
  if (name === '') throw invalid(`${PARAMETER}: makes an empty name`)
  if (UNSAFE.test(name)) throw invalid(`${PARAMETER}: makes a name with quotes, backslashes or control characters`)
  const length = longest.unit === 'bytes' ? texts.byteLength(name) : [...name].length
  if (length > longest.count)
    throw invalid(`${PARAMETER}: makes a name of more than ${longest.count} ${longest.unit}, which the database does not keep`)
  return name
}
