/**
 * Names of dynamic users.
 */

import { invalid } from '../../core/base/errors.ts'
import { texts } from '../../core/base/texts.ts'
import type { Caller } from '../../core/contract/caller.ts'
import { compileTemplate, type TemplateInput } from '../../core/template/index.ts'
import type { DatabaseConnection } from './port.ts'

const PARAMETER = 'username_template'

/** Quotes of all databases, backslashes, control characters: what a statement could take for something else. */
const UNSAFE_CHARACTERS = /['"`\\\p{Cc}]/u

/** @throws KernelError 400 for a template that is none, or that fails over empty fields */
export function validateTemplate(template: string, parameter: string, env: Pick<TemplateInput, 'now' | 'entropy'>): void {
  compileTemplate(template, parameter).run({ fields: { DisplayName: '', RoleName: '' }, ...env })
}

export const validateUsernameTemplate = (template: string, env: Pick<TemplateInput, 'now' | 'entropy'>): void =>
  validateTemplate(template, PARAMETER, env)

export const displayName = (caller: Caller): string => (caller.kind === 'token' ? caller.token.display_name : caller.kind)

/** @throws KernelError 400 for a name that is empty, or holds quotes, backslashes or control characters. */
export function makeUsername(template: string, input: TemplateInput): string {
  const name = compileTemplate(template, PARAMETER).run(input)
  if (name === '') throw invalid(`${PARAMETER}: makes an empty name`)
  if (UNSAFE_CHARACTERS.test(name)) throw invalid(`${PARAMETER}: makes a name with quotes, backslashes or control characters`)
  return name
}

/** @throws KernelError 400 for a name that the database would cut. */
export function validateUsernameLength(name: string, { count, unit }: DatabaseConnection['longest_name']): void {
  const length = unit === 'bytes' ? texts.byteLength(name) : [...name].length
  if (length > count) throw invalid(`${PARAMETER}: makes a name of more than ${count} ${unit}, which the database does not keep`)
}
