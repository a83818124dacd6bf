import { invalid } from '../../core/base/errors.ts'
import { texts } from '../../core/base/texts.ts'
import { compileTemplate, type TemplateInput } from '../../core/template/index.ts'
import { type TemplateContext, USERNAME_TEMPLATE, validateNameTemplate } from '../credentials/name-template.ts'
import type { DatabaseConnection } from './port.ts'

/** Quotes, backslashes and control characters: in the statements of some databases they could end a quoted name. */
const UNSAFE_CHARACTERS = /['"`\\\p{Cc}]/u

/** The fields with which templates are validated. */
export const EMPTY_FIELDS = { DisplayName: '', RoleName: '' }

/** @throws KernelError 400 if the template is invalid or fails. */
export const validateUsernameTemplate = (template: string, context: TemplateContext): void =>
  validateNameTemplate(template, USERNAME_TEMPLATE, EMPTY_FIELDS, context)

/** @throws KernelError 400 if the name is empty or contains quotes, backslashes or control characters. */
export function makeUsername(template: string, input: TemplateInput): string {
  const name = compileTemplate(template, USERNAME_TEMPLATE).run(input)
  if (name === '') throw invalid(`${USERNAME_TEMPLATE}: must not produce an empty name`)
  if (UNSAFE_CHARACTERS.test(name))
    throw invalid(`${USERNAME_TEMPLATE}: must not produce a name with quotes, backslashes or control characters`)
  return name
}

/** @throws KernelError 400 if the name is longer than the database allows. */
export function validateUsernameLength(name: string, { count, unit }: DatabaseConnection['longest_name']): void {
  const length = unit === 'bytes' ? texts.byteLength(name) : [...name].length
  if (length > count)
    throw invalid(`${USERNAME_TEMPLATE}: must not produce a name of more than ${count} ${unit}, the maximum of the database`)
}
