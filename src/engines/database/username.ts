import { invalid } from '../../core/base/errors.ts'
import { texts } from '../../core/base/texts.ts'
import type { Caller } from '../../core/contract/caller.ts'
import { compileTemplate, type TemplateInput } from '../../core/template/index.ts'
import type { DatabaseConnection } from './port.ts'

const PARAMETER = 'username_template'

/** Quotes, backslashes and control characters: in the statements of some databases they could end a quoted name. */
const UNSAFE_CHARACTERS = /['"`\\\p{Cc}]/u

/** Executes the template with empty fields to validate it. @throws KernelError 400 if the template is invalid or fails. */
export function validateTemplate(template: string, parameter: string, env: Pick<TemplateInput, 'now' | 'entropy'>): void {
  compileTemplate(template, parameter).run({ fields: { DisplayName: '', RoleName: '' }, ...env })
}

export const validateUsernameTemplate = (template: string, env: Pick<TemplateInput, 'now' | 'entropy'>): void =>
  validateTemplate(template, PARAMETER, env)

export const displayNameOfCaller = (caller: Caller): string => (caller.kind === 'token' ? caller.token.display_name : caller.kind)

/** @throws KernelError 400 if the name is empty or contains quotes, backslashes or control characters. */
export function makeUsername(template: string, input: TemplateInput): string {
  const name = compileTemplate(template, PARAMETER).run(input)
  if (name === '') throw invalid(`${PARAMETER}: must not produce an empty name`)
  if (UNSAFE_CHARACTERS.test(name))
    throw invalid(`${PARAMETER}: must not produce a name with quotes, backslashes or control characters`)
  return name
}

/** @throws KernelError 400 if the name is longer than the database allows. */
export function validateUsernameLength(name: string, { count, unit }: DatabaseConnection['longest_name']): void {
  const length = unit === 'bytes' ? texts.byteLength(name) : [...name].length
  if (length > count)
    throw invalid(`${PARAMETER}: must not produce a name of more than ${count} ${unit}, the maximum of the database`)
}
