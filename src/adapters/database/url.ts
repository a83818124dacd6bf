import { invalidFailure } from './failure.ts'

const USER = /\{\{(?:username|name)\}\}/g
const PASSWORD = /\{\{password\}\}/g
const TEMPLATED = /^\{\{password\}\}$/
const SUB_DELIMS = /[!'()*]/g
/** Query parameters with secret values. */
const SECRET_PARAMETER = /([?&][^=&#]*(?:password|authMechanismProperties)[^=&#]*=)[^&#]*/gi
const USERINFO = /^([a-z][a-z0-9+.-]*:\/\/[^:@/?#]*):([^@/?#]*)@/i

/** Percent-encodes everything except letters, digits and `-._~`. The text must be well-formed Unicode. */
const percentEncode = (value: string): string =>
  encodeURIComponent(value).replace(SUB_DELIMS, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

/** @throws DatabaseError `invalid` if the text is not valid percent-encoding. */
export function decodeUrlPart(value: string, name: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    throw invalidFailure(`${name}: must be valid percent-encoding`)
  }
}

/** `username` replaces `{{username}}` and `{{name}}`; `password` replaces `{{password}}`. */
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

/** Replaces passwords in a URL by `xxxxx`. Placeholders stay. */
export const maskPasswords = (url: string): string =>
  url
    .replace(USERINFO, (whole, before: string, password: string) =>
      password === '' || TEMPLATED.test(password) ? whole : `${before}:xxxxx@`,
    )
    .replace(SECRET_PARAMETER, '$1xxxxx')
