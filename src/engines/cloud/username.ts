/**
 * Names of users, sessions and federation tokens.
 */
import { KernelError } from '../../core/base/errors.ts'
import type { Caller } from '../../core/contract/caller.ts'
import { compileTemplate, type TemplateInput } from '../../core/template/index.ts'

const PARAMETER = 'username_template'

/** Characters that the cloud takes: of users and sessions, and of federation tokens. */
const MAX_NAME_CHARACTERS = { IAM: 64, STS: 32 } as const

/** Sessions of assumed roles have names of the type IAM. */
export type NameType = keyof typeof MAX_NAME_CHARACTERS

const UNSAFE_CHARACTERS = /[^a-zA-Z0-9+=,.@_-]/gu

/** Every character that names of the cloud may not hold becomes `_`. */
export const cleanName = (name: string): string => name.replaceAll(UNSAFE_CHARACTERS, '_')

/** Characters of a user's name that are left for prefix and fields: behind them stand the time and at least four random ones. */
const MAX_HEAD_CHARACTERS = 47

/** @param prefix The configured one of the kernel's ciphertexts. A long one takes its room from the fields. */
export function defaultTemplate(prefix: string): string {
  const fields = Math.max(1, Math.min(42, MAX_HEAD_CHARACTERS - prefix.length))
  return [
    `{{ if (eq .Type "STS") }}{{ printf "${prefix}-%s-%s"  (unix_time) (random 20) | truncate 32 }}`,
    `{{ else }}{{ printf "${prefix}-%s-%s-%s" (printf "%s-%s" (.DisplayName) (.PolicyName) | truncate ${fields}) (unix_time) (random 20) | truncate 64 }}{{ end }}`,
  ].join('')
}

type TemplateContext = Pick<TemplateInput, 'now' | 'entropy'>

/** @throws KernelError 400 for a template that is none, or that fails over empty fields. */
export function validateNameTemplate(template: string, chance: TemplateContext): void {
  const run = compileTemplate(template, PARAMETER)
  for (const Type of Object.keys(MAX_NAME_CHARACTERS)) run.run({ fields: { Type, DisplayName: '', PolicyName: '' }, ...chance })
}

export interface NameRequest {
  readonly type: NameType
  readonly caller: Caller
  /** The name of the role. */
  readonly role: string
}

/** @throws KernelError 500 for a name that is too long, as the specification says; 400 for a template that fails. */
export function makeCloudName(template: string, { type, caller, role }: NameRequest, chance: TemplateContext): string {
  const fields =
    type === 'STS'
      ? { Type: type, DisplayName: '', PolicyName: '' }
      : { Type: type, DisplayName: cleanName(displayName(caller)), PolicyName: cleanName(role) }
  const name = compileTemplate(template, PARAMETER).run({ fields, ...chance })
  if (name.length > MAX_NAME_CHARACTERS[type])
    throw new KernelError(
      'ERR_INTERNAL',
      `${PARAMETER}: makes a name of more than ${MAX_NAME_CHARACTERS[type]} characters, the most of type ${type}`,
    )
  return name
}

const displayName = (caller: Caller): string => (caller.kind === 'token' ? caller.token.display_name : caller.kind)
