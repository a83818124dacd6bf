import { KernelError } from '../../core/base/errors.ts'
import type { Caller } from '../../core/contract/caller.ts'
import { compileTemplate, type TemplateInput } from '../../core/template/index.ts'

const PARAMETER = 'username_template'

/** The maximum length of names in AWS. IAM: names of users and of sessions of assumed roles. STS: names of federation tokens. */
const MAX_NAME_CHARACTERS = { IAM: 64, STS: 32 } as const

/** The `.Type` of the template. Names of sessions of assumed roles have the type IAM, too. */
export type NameType = keyof typeof MAX_NAME_CHARACTERS

const UNSAFE_CHARACTERS = /[^a-zA-Z0-9+=,.@_-]/gu

/** Replaces each character that AWS does not allow in names by `_`. */
export const cleanName = (name: string): string => name.replaceAll(UNSAFE_CHARACTERS, '_')

/**
 * The maximum length of the prefix and the template fields at the beginning of a user name. A name has at most 64 characters; the other 17
 * are the time (ten digits), at least four random characters, and three hyphens.
 */
const MAX_HEAD_CHARACTERS = 47

/** @param prefix The kernel's ciphertext prefix. A long prefix leaves fewer characters for the fields. */
export function defaultTemplate(prefix: string): string {
  const fields = Math.max(1, Math.min(42, MAX_HEAD_CHARACTERS - prefix.length))
  return [
    `{{ if (eq .Type "STS") }}{{ printf "${prefix}-%s-%s"  (unix_time) (random 20) | truncate 32 }}`,
    `{{ else }}{{ printf "${prefix}-%s-%s-%s" (printf "%s-%s" (.DisplayName) (.PolicyName) | truncate ${fields}) (unix_time) (random 20) | truncate 64 }}{{ end }}`,
  ].join('')
}

type TemplateContext = Pick<TemplateInput, 'now' | 'entropy'>

/** Executes the template with empty fields to validate it. @throws KernelError 400 if the template is invalid or fails. */
export function validateNameTemplate(template: string, context: TemplateContext): void {
  const run = compileTemplate(template, PARAMETER)
  for (const Type of Object.keys(MAX_NAME_CHARACTERS)) run.run({ fields: { Type, DisplayName: '', PolicyName: '' }, ...context })
}

export interface NameRequest {
  readonly type: NameType
  readonly caller: Caller
  /** The name of the role. */
  readonly role: string
}

/** @throws KernelError 400 if the template fails, 500 if the name is too long, as in Vault. */
export function makeCloudName(template: string, { type, caller, role }: NameRequest, context: TemplateContext): string {
  const fields =
    type === 'STS'
      ? { Type: type, DisplayName: '', PolicyName: '' }
      : { Type: type, DisplayName: cleanName(displayName(caller)), PolicyName: cleanName(role) }
  const name = compileTemplate(template, PARAMETER).run({ fields, ...context })
  if (name.length > MAX_NAME_CHARACTERS[type])
    throw new KernelError(
      'ERR_INTERNAL',
      `${PARAMETER}: must not produce a name of more than ${MAX_NAME_CHARACTERS[type]} characters for the type ${type}`,
    )
  return name
}

const displayName = (caller: Caller): string => (caller.kind === 'token' ? caller.token.display_name : caller.kind)
