import { type TemplateContext, USERNAME_TEMPLATE, validateNameTemplate } from '../credentials/name-template.ts'

/** The maximum length of names in AWS. IAM: names of users and of sessions of assumed roles. STS: names of federation tokens. */
export const MAX_NAME_CHARACTERS = { IAM: 64, STS: 32 } as const

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

/** The fields with which templates are validated, besides `Type`. */
export const EMPTY_FIELDS = { DisplayName: '', PolicyName: '' }

/** @throws KernelError 400 if the template is invalid or fails. */
export function validateUsernameTemplate(template: string, context: TemplateContext): void {
  for (const Type of Object.keys(MAX_NAME_CHARACTERS))
    validateNameTemplate(template, USERNAME_TEMPLATE, { ...EMPTY_FIELDS, Type }, context)
}
