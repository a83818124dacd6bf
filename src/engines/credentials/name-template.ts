/** Templates for the names of users in outside systems. */
import type { Caller } from '../../core/contract/caller.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { compileTemplate, type TemplateFields, type TemplateInput } from '../../core/template/index.ts'

export const USERNAME_TEMPLATE = 'username_template'

/** The input of a template, except the fields. */
export type TemplateContext = Pick<TemplateInput, 'now' | 'entropy'>

export const templateContext = ({ now, env: { entropy } }: Tx): TemplateContext => ({ now, entropy })

/** Executes the template to validate it. @throws KernelError 400 if the template is invalid or fails. */
export const validateNameTemplate = (
  template: string,
  parameter: string,
  fields: TemplateFields,
  context: TemplateContext,
): void => void compileTemplate(template, parameter).run({ fields, ...context })

export const displayNameOfCaller = (caller: Caller): string => (caller.kind === 'token' ? caller.token.display_name : caller.kind)
