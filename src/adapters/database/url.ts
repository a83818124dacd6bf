/**
 * Connection URLs: user and password put into them, and taken out of what is shown.
 */
import { invalidFailure } from './failure.ts'

const USER = /\{\{(?:username|name)\}\}/g
const PASSWORD = /\{\{password\}\}/g
const TEMPLATED = /^\{\{password\}\}$/
const SUB_DELIMS = /[!'()*]/g
/** Values of these parameters are secret. */
const SECRET_PARAMETER = /([?&][^=&#]*(?:password|authMechanismProperties)[^=&#]*=)[^&#]*/gi
const USERINFO = /^([a-z][a-z0-9+.-]*:\/\/[^:@/?#]*):([^@/?#]*)@/i

/** Percent-encoded, all but letters, digits and `-._~`. Takes well-formed text. */
const percentEncode = (value: string): string =>
  encodeURIComponent(value).replace(SUB_DELIMS, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

/** @throws DatabaseError `invalid` for what is no percent-encoded text. */
export function decodeUrlPart(value: string, name: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    throw invalidFailure(`${name} is not percent-encoded as it has to be`)
  }
}

/** What is put in the place of `{{username}}` or `{{name}}`, and of `{{password}}`. */
export interface UrlValues {
  readonly username: string
  readonly password: string
}

export const fillPlaceholders = (url: string, { username, password }: UrlValues): string =>
  url.replace(USER, () => username).replace(PASSWORD, () => password)

export const encodeUrlValues = ({ username, password }: UrlValues): UrlValues => ({
  username: percentEncode(username),
  password: percentEncode(password),
})

export const hasPlaceholder = (text: string): boolean => /\{\{(?:username|name|password)\}\}/.test(text)

export const hasUserPlaceholder = (url: string): boolean => /\{\{(?:username|name)\}\}/.test(url)

/** With `xxxxx` for a password that stands in it; a placeholder stays. */
export const maskPasswords = (url: string): string =>
  url
    .replace(USERINFO, (whole, before: string, password: string) =>
      password === '' || TEMPLATED.test(password) ? whole : `${before}:xxxxx@`,
    )
    .replace(SECRET_PARAMETER, '$1xxxxx')
