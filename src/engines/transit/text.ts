/** The text form of ciphertexts, signatures and HMACs: `<prefix>:v<version>:<body>`, or the key's own version template. */
import { invalid } from '../../core/base/errors.ts'

export interface VersionedText {
  readonly version: number
  readonly body: string
}

/** The fixed parts before and after the version number. */
export interface TextForm {
  readonly head: string
  readonly tail: string
}

const VERSION = '{{version}}'
const forms = new Map<string, TextForm>()

/** The form of all HMACs, and of ciphertexts and signatures of keys without a version template. */
export function serviceForm(prefix: string): TextForm {
  const known = forms.get(prefix)
  if (known) return known
  const form = { head: `${prefix}:v`, tail: ':' }
  forms.set(prefix, form)
  return form
}

/** @param template A template that {@link checkTemplate} has validated. */
function templateForm(template: string): TextForm {
  const at = template.indexOf(VERSION)
  return { head: template.slice(0, at), tail: template.slice(at + VERSION.length) }
}

/** @param template The version template of the key, or an empty string. */
export const formOf = (template: string, prefix: string): TextForm =>
  template === '' ? serviceForm(prefix) : templateForm(template)

/** The form as a template, for backups that other systems restore. */
export const templateOf = ({ head, tail }: TextForm): string => head + VERSION + tail

/** The highest version number with which a template is tested. */
const TRIED_VERSIONS = 1000
/** A digit next to the version number would be read as a part of it. */
const DIGIT_NEXT_TO_VERSION = /\d\{\{version\}\}|\{\{version\}\}\d/

/** @throws KernelError 400 if texts made with the template could not be parsed */
export function checkTemplate(template: string): void {
  const parts = template.split(VERSION)
  if (parts.length !== 2 || parts[1] === '') throw invalid(`version_template: must contain ${VERSION} once, and text after it`)
  if (DIGIT_NEXT_TO_VERSION.test(template)) throw invalid(`version_template: must not have a digit next to ${VERSION}`)
  const form = templateForm(template)
  for (let version = 1; version <= TRIED_VERSIONS; version++) {
    const read = parseVersioned(form, formatVersioned(form, version, SAMPLE_BODY), 'version_template')
    if (read.version !== version || read.body !== SAMPLE_BODY)
      throw invalid('version_template: produces texts that cannot be parsed')
  }
}

/** Base64 text that begins with a digit, which the parser could mistake for a part of the version. */
const SAMPLE_BODY = '1+/1=='

/** The text before the body of the last formatted text. Most calls in a row use the same form and version. */
let last: { readonly form: TextForm; readonly version: number; readonly start: string } | undefined

export function formatVersioned(form: TextForm, version: number, body: string): string {
  if (last?.form !== form || last.version !== version) last = { form, version, start: form.head + version + form.tail }
  return last.start + body
}

/** Longer than any signature or HMAC, and short enough to decode without yielding. */
const MAX_SIGNATURE_CHARACTERS = 131_072

/** Parses like {@link parseVersioned}, but with a length limit, for signatures and HMACs. @throws KernelError 400 */
export function parseSignatureText(form: TextForm, text: string, what: string): VersionedText {
  if (text.length > MAX_SIGNATURE_CHARACTERS) throw invalid(`${what}: must have at most ${MAX_SIGNATURE_CHARACTERS} characters`)
  return parseVersioned(form, text, what)
}

/** Accepts signs and leading zeros, as Vault does. @throws KernelError 400 with `what` in the message */
export function parseVersioned(form: TextForm, text: string, what: string): VersionedText {
  const { version, at } = locateBody(form, text, what)
  return { version, body: text.slice(at) }
}

/** Finds the version, and the offset of the body. @throws KernelError 400 */
export function locateBody({ head, tail }: TextForm, text: string, what: string): { version: number; at: number } {
  if (!text.startsWith(head)) throw invalid(`${what}: no prefix ${head}`)
  const end = text.indexOf(tail, head.length)
  if (end < 0) throw invalid(`${what}: wrong number of fields`)
  const at = end + tail.length
  // Fast path: nearly all versions have one digit.
  const digit = end === head.length + 1 ? text.charCodeAt(head.length) - 0x30 : -1
  if (digit >= 0 && digit <= 9) return { version: digit, at }
  const digits = text.slice(head.length, end)
  if (!/^[+-]?\d{1,19}$/.test(digits)) throw invalid(`${what}: version is not a number`)
  return { version: Number(digits), at }
}
